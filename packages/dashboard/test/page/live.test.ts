import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launch, open } from './browser.js';
import { type Shop, shop } from './shop.js';

jest.setTimeout(120_000);

let browser: Browser;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  browser = await launch();
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

afterAll(() => browser?.close());

async function opened(options: Parameters<typeof shop>[0] = {}): Promise<{ site: Shop; page: Page }> {
  const site = await shop(options);
  ends.push(() => site.end());
  const { page } = await open(browser, site.url);
  ends.push(() => page.close());
  return { site, page };
}

/** Waits until the row of quotes shows this state. */
function shows(page: Page, state: string): Promise<unknown> {
  return page.waitForSelector(`[data-dependency="quotes"][data-breaker="${state}"]`);
}

const badge = (page: Page) => page.locator('[data-dependency="quotes"] .badge');

describe('the page follows', () => {
  test('an outage: closed, open, half-open, closed', async () => {
    const { site, page } = await opened();
    await site.call();
    await shows(page, 'closed');
    expect(await badge(page).textContent()).toBe('Closed');
    site.down = true;
    for (let call = 0; call < 5; call++) await site.call();
    await shows(page, 'open');
    expect(await badge(page).textContent()).toMatch(/^Open, [12] s left$/);
    expect(await page.locator('#summary').textContent()).toBe('quotes is open.');
    expect(await page.locator('[data-figure="refusals"] a').allTextContents()).toContain('ERR_BREAKER_OPEN');
    site.down = false;
    await shows(page, 'half-open');
    expect(await badge(page).textContent()).toBe('Half-open');
    await site.call();
    await shows(page, 'closed');
    expect(await page.locator('#summary').textContent()).toBe('All breakers are closed.');
    expect(await page.locator('#timeline li span').allTextContents()).toEqual([
      'half-open → closed',
      'open → half-open',
      'closed → open for 2 s',
    ]);
  });

  test('a reason to what it means', async () => {
    const { site, page } = await opened();
    site.down = true;
    for (let call = 0; call < 5; call++) await site.call();
    await page.getByRole('link', { name: 'ERR_BREAKER_OPEN' }).click();
    await page.waitForURL(/reasons\.html#ERR_BREAKER_OPEN$/);
    expect(await page.locator('section:target').textContent()).toContain(
      'The breaker refused without an attempt.',
    );
  });

  test('a server that is started again, by itself', async () => {
    const { site, page } = await opened();
    const before = await page.locator('#process').textContent();
    await page.evaluate(() => {
      document.body.dataset['same'] = 'page';
    });
    await site.end();
    await page.waitForSelector('[data-state="lost"]');
    expect(await page.locator('#connection').textContent()).toContain('connection lost, trying again');
    await page.waitForTimeout(1500);
    const again = await shop({}, site.port);
    ends.push(() => again.end());
    await page.waitForSelector('[data-state="live"]', { timeout: 20_000 });
    await page.waitForFunction((text) => document.getElementById('process')?.textContent !== text, before);
    await again.call();
    expect(await page.locator('body').getAttribute('data-same')).toBe('page');
    // both instances are told apart
    expect((await page.locator('#seen').textContent())?.split(', ')).toHaveLength(2);
  });

  test('a server behind a proxy that answers 502 meanwhile', async () => {
    const { site, page } = await opened();
    await site.end();
    const proxy = http.createServer((_, res) => res.writeHead(502).end());
    await new Promise<void>((resolve) => proxy.listen(site.port, '127.0.0.1', resolve));
    await page.waitForTimeout(2500);
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    const again = await shop({}, site.port);
    ends.push(() => again.end());
    await page.waitForSelector('[data-state="live"]', { timeout: 20_000 });
    expect(await page.locator('#connection').textContent()).toContain('live');
  });
});

describe('control', () => {
  test('is there for those who may, and works', async () => {
    const { site, page } = await opened({ authorize: () => true });
    const row = page.locator('[data-dependency="quotes"]');
    await row.getByText('Control').click();
    await row.getByRole('button', { name: 'Force open' }).click();
    await shows(page, 'forced-open');
    expect(await row.locator('output').textContent()).toBe('Done: forced the breaker open.');
    await row.getByRole('button', { name: 'Close', exact: true }).click();
    await shows(page, 'closed');
    await row.getByRole('combobox', { name: 'Fault' }).selectOption('status 500');
    await row.getByLabel('% of attempts').fill('100');
    await row.getByRole('button', { name: 'Inject' }).click();
    await row.locator('.fault').waitFor();
    expect(await site.call()).toMatchObject({ ok: false, error: { code: 'ERR_UPSTREAM' } });
    await row.getByRole('button', { name: 'Take back' }).click();
    await row.locator('.fault').waitFor({ state: 'detached' });
    expect(await site.call()).toMatchObject({ ok: true });
    expect(await page.locator('#timeline').textContent()).toContain(
      'somebody injected a fault from a dashboard',
    );
  });

  test('is not shown to others, and refused when they ask all the same', async () => {
    const { site, page } = await opened({ authorize: () => false });
    expect(await page.locator('.control').first().isVisible()).toBe(false);
    const status = await page.evaluate(async () => {
      const body = JSON.stringify({ dependency: 'quotes', action: 'forceOpen' });
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch('control', { method: 'POST', headers, body })).status;
    });
    expect(status).toBe(403);
    expect(site.spillway.dependency('quotes').breaker.state).toBe('closed');
  });

  test('is refused to the pages of another origin, in every way a browser lets them try', async () => {
    let asked = 0;
    const { site } = await opened({
      authorize: (req) => {
        if (req.method === 'POST') asked++;
        return true;
      },
    });
    const other = http.createServer((_, res) =>
      res.setHeader('Content-Type', 'text/html').end('<p>elsewhere'),
    );
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    ends.push(() => other.close());
    const page = await browser.newPage();
    ends.push(() => page.close());
    await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`);
    const tried = await page.evaluate(async (url) => {
      const body = JSON.stringify({ dependency: 'quotes', action: 'forceOpen' });
      const outcomes: string[] = [];
      for (const [mode, type] of [
        ['cors', 'application/json'],
        ['no-cors', 'application/json'],
        ['no-cors', 'text/plain'],
      ] as const) {
        const init = { method: 'POST', mode, headers: { 'Content-Type': type }, body };
        outcomes.push(
          await fetch(url, init)
            .then(({ type: seen }) => seen)
            .catch(() => 'blocked'),
        );
      }
      return outcomes;
    }, `${site.url}control`);
    expect(tried).toEqual(['blocked', 'blocked', 'blocked']);
    expect(site.spillway.dependency('quotes').breaker.state).toBe('closed');
    expect(asked).toBe(0);
  });
});
