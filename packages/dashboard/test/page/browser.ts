import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

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

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: QUIET });
}

export interface Opened {
  readonly page: Page;
  /** What the console and failed scripts had to say. */
  readonly complaints: string[];
  readonly requested: string[];
}

/** Opens the dashboard and waits until its feed has arrived. */
export async function open(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(url);
  await page.waitForSelector('[data-state="live"]');
  await page.waitForSelector('.chart canvas');
  return { page, complaints, requested };
}

export interface Drawn {
  readonly width: number;
  readonly height: number;
  /** Lines by their colour. */
  readonly colours: number;
}

/** What stands on each canvas: its size on the page, and how many strong colours it shows. */
export function drawings(page: Page): Promise<Drawn[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLCanvasElement>('.chart canvas')].map((canvas) => {
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Map<number, number>();
      for (let i = 0; i < data.length; i += 4) {
        const [r = 0, g = 0, b = 0, a = 0] = data.slice(i, i + 4);
        if (a < 250 || Math.max(r, g, b) - Math.min(r, g, b) < 50) continue;
        const key = (r << 16) | (g << 8) | b;
        colours.set(key, (colours.get(key) ?? 0) + 1);
      }
      const { width, height } = canvas.getBoundingClientRect();
      return { width, height, colours: [...colours.values()].filter((count) => count > 30).length };
    }),
  );
}
