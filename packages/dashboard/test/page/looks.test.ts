import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { drawings, launch, open } from './browser.js';
import { type Shop, shop } from './shop.js';

jest.setTimeout(120_000);

/** Where to leave the screenshots, for whoever wants to look at them. */
const SCREENSHOTS = process.env['SCREENSHOTS'];

let browser: Browser;
let site: Shop;

beforeAll(async () => {
  browser = await launch();
  site = await shop({ authorize: () => true });
  site.trade();
  site.spillway.dependency('payments').inject({ latency: '5ms', share: 0.5, until: '1h' });
});

afterAll(async () => {
  await browser?.close();
  await site?.end();
});

/** Violations that axe calls serious or critical, with where they are. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(),
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe('the page', () => {
  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [400, 'light'],
    [400, 'dark'],
  ] as const)('is drawn, readable and quiet at %d px, %s', async (width, colorScheme) => {
    const options = { viewport: { width, height: 900 }, colorScheme };
    const { page, complaints, requested } = await open(browser, site.url, options);
    await page.waitForTimeout(2500);
    const charts = await drawings(page);
    expect(charts).toHaveLength(3);
    for (const chart of charts) {
      expect(chart.width).toBeGreaterThan(width === 400 ? 300 : 270);
      expect(chart.width).toBeLessThanOrEqual(width);
      expect(chart.height).toBeGreaterThan(150);
      expect(chart.colours).toBeGreaterThanOrEqual(2);
    }
    // nothing stands out of the page to the right
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await violations(page)).toEqual([]);
    const screenshot = await page.screenshot({
      fullPage: true,
      ...target(`dashboard-${width}-${colorScheme}`),
    });
    expect(screenshot.byteLength).toBeGreaterThan(20_000);
    expect(complaints).toEqual([]);
    const { origin } = new URL(site.url);
    expect(requested.filter((url) => !url.startsWith('data:') && new URL(url).origin !== origin)).toEqual([]);
    await page.close();
  });

  test('of a service in trouble has no serious violation', async () => {
    const { page } = await open(browser, site.url, { viewport: { width: 400, height: 900 } });
    const row = page.locator('[data-dependency="payments"]');
    await row.getByText('Control').click();
    await row.getByRole('button', { name: 'Force open' }).click();
    await page.waitForSelector('[data-dependency="payments"][data-breaker="forced-open"]');
    await page.getByRole('button', { name: 'p99' }).first().click();
    expect(await violations(page)).toEqual([]);
    await row.getByRole('button', { name: 'Reset' }).click();
    await page.waitForSelector('[data-dependency="payments"][data-breaker="closed"]');
    await page.close();
  });

  test('of reasons has no serious violation either', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.url}reasons.html#ERR_BREAKER_OPEN`);
    expect(await page.locator('section:target h2').textContent()).toBe('ERR_BREAKER_OPEN');
    expect(await violations(page)).toEqual([]);
    await page.close();
  });

  test('shows figures that move', async () => {
    const { page } = await open(browser, site.url);
    const figure = (name: string) => page.locator(`[data-dependency="quotes"] [data-figure="${name}"] dd`);
    await page.waitForFunction(() =>
      /\d+ ?ms/.test(document.querySelector('[data-figure="p99"] dd')?.textContent ?? ''),
    );
    expect(await figure('operations').textContent()).toMatch(/^[1-9][\d.]* per s$/);
    expect(await figure('amplification').textContent()).toContain('×1.00');
    expect(await figure('outcomes').textContent()).toContain('100 % success');
    expect(await figure('slots').textContent()).toMatch(/^\d+ of 50, 0 queued/);
    expect(await page.locator('#inbound [data-figure="inboundInFlight"] dd').textContent()).toContain(
      'of 50',
    );
    expect(await page.locator('.fault').textContent()).toMatch(
      /^Injected: 5 ms late, 50 % of attempts \([\d,]+ so far, \d+ min left\)$/,
    );
    await page.close();
  });

  test('tells what a figure means, by mouse and by keyboard', async () => {
    const { page } = await open(browser, site.url);
    const help = page.locator('#help');
    const name = page.getByRole('button', { name: 'Amplification' }).first();
    await name.click();
    expect(await help.isVisible()).toBe(true);
    expect(await help.textContent()).toContain('Attempts per operation');
    await page.keyboard.press('Escape');
    expect(await help.isVisible()).toBe(false);
    await name.focus();
    await page.keyboard.press('Enter');
    expect(await help.isVisible()).toBe(true);
    await page.locator('h1').click();
    expect(await help.isVisible()).toBe(false);
    await page.close();
  });

  test('can be gone through with the Tab key', async () => {
    const { page } = await open(browser, site.url);
    const reached: string[] = [];
    for (let press = 0; press < 5; press++) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => document.activeElement?.textContent ?? ''));
    }
    expect(reached[0]).toBe('To the dependencies');
    expect(reached[1]).toMatch(/^(Closed|Open|Half-open)/);
    expect(reached.slice(2)).toEqual(['Operations', 'Attempts', 'Amplification']);
    await page.close();
  });
});

function target(name: string): { path?: string } {
  if (SCREENSHOTS === undefined) return {};
  mkdirSync(SCREENSHOTS, { recursive: true });
  return { path: join(SCREENSHOTS, `${name}.png`) };
}
