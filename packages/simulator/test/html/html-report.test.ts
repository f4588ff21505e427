import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { htmlReport, PRESETS, type Scenario, simulate } from '../../src/index.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

jest.setTimeout(120_000);

let browser: Browser;
let directory: string;
let address: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'spillway-report-'));
  const file = join(directory, 'report.html');
  const scenario = { ...PRESETS['outage'], about: 'Tags like </script><b> stay text.' } as Scenario;
  writeFileSync(file, htmlReport(await simulate(scenario)));
  address = pathToFileURL(file).href;
  browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
});

afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** What the console and failed scripts and requests had to say. */
  readonly complaints: string[];
  readonly requested: string[];
}

async function open(width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(address);
  await page.waitForSelector('.chart canvas');
  return { page, complaints, requested };
}

/** Of each chart's canvas: its size on the page, and how many colours of lines it shows. */
function looks(
  page: Page,
): Promise<{ title: string; width: number; height: number; colours: number; labels: string }[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.chart')].map((chart) => {
      const canvas = chart.querySelector('canvas') as HTMLCanvasElement;
      const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(
        0,
        0,
        canvas.width,
        canvas.height,
      );
      const colours = new Map<number, number>();
      for (let i = 0; i < data.length; i += 4) {
        const [r = 0, g = 0, b = 0, a = 0] = data.slice(i, i + 4);
        const isColoured = a > 250 && Math.max(r, g, b) - Math.min(r, g, b) > 60;
        const key = (r << 16) | (g << 8) | b;
        if (isColoured) colours.set(key, (colours.get(key) ?? 0) + 1);
      }
      const { width, height } = canvas.getBoundingClientRect();
      return {
        title: chart.querySelector('h2')?.textContent ?? '',
        width,
        height,
        colours: [...colours.values()].filter((count) => count > 40).length,
        labels: chart.querySelector('.u-legend')?.textContent ?? '',
      };
    }),
  );
}

describe('the page of a report', () => {
  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [400, 'light'],
  ] as const)(
    'shows its charts drawn and readable at %d px, %s, without a complaint',
    async (width, scheme) => {
      const { page, complaints, requested } = await open(width, scheme);
      const charts = await looks(page);
      expect(charts.map(({ title }) => title)).toEqual([
        'Requests per second',
        'Operations and attempts per second',
        'Time to answer, ms',
        'In flight',
        'Breakers open, share of instances',
        'Retry budget in use',
      ]);
      for (const chart of charts) {
        expect(chart.width).toBeGreaterThan(width === 400 ? 330 : 500);
        expect(chart.width).toBeLessThanOrEqual(width);
        expect(chart.height).toBeGreaterThan(150);
      }
      expect(charts[0]?.colours).toBeGreaterThanOrEqual(2);
      expect(charts[1]?.labels).toContain('shop.quotes attempts');
      // nothing stands out of the page to the right
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(complaints).toEqual([]);
      expect(requested.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([]);
      expect((await page.screenshot({ fullPage: true })).byteLength).toBeGreaterThan(20_000);
      await page.close();
    },
  );

  test('has a row and a button for each variant, and shows the one that is chosen', async () => {
    const { page, complaints } = await open(1280);
    expect(await page.locator('#summary tbody tr').allTextContents()).toHaveLength(4);
    expect(await page.locator('#summary tbody tr').first().textContent()).toContain('3,890');
    const [before] = await looks(page);
    await page.getByRole('button', { name: 'perAttempt' }).click();
    expect(await page.getByRole('button', { pressed: true }).allTextContents()).toEqual(['perAttempt']);
    const after = await looks(page);
    expect(after).toHaveLength(6);
    expect(after[4]?.colours).toBeGreaterThanOrEqual(1);
    expect(before?.title).toBe(after[0]?.title);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('follows the width of its window', async () => {
    const { page } = await open(1280);
    await page.setViewportSize({ width: 400, height: 900 });
    await page.waitForFunction(
      () => (document.querySelector('.chart canvas')?.getBoundingClientRect().width ?? 0) < 400,
    );
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    await page.close();
  });

  test('shows what the scenario says as text', async () => {
    const { page } = await open(1280);
    expect(await page.locator('header p').first().textContent()).toBe('Tags like </script><b> stay text.');
    await page.close();
  });
});
