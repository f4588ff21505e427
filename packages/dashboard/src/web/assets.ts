import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answer, SECURITY } from './answer.js';
import { helpTexts } from './help.js';
import { reasonsPage } from './reasons-page.js';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly tag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

/** Everything the page is made of, by name: read once, when a dashboard is made. */
export function readAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  const add = (name: string, body: Buffer) => {
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    assets.set(name, { type: TYPES[extname(name)] ?? 'application/octet-stream', body, tag });
  };
  // lies beside both `src` and `dist`
  const folder = fileURLToPath(new URL('../../page/', import.meta.url));
  for (const name of readdirSync(folder)) add(name, readFileSync(join(folder, name)));
  const require = createRequire(import.meta.url);
  add('uplot.js', readFileSync(require.resolve('uplot/dist/uPlot.esm.js')));
  add('uplot.css', readFileSync(require.resolve('uplot/dist/uPlot.min.css')));
  add('help.json', Buffer.from(JSON.stringify(helpTexts())));
  add('reasons.html', Buffer.from(reasonsPage()));
  return assets;
}

/** Browsers keep it, and ask each time whether it is still the same. */
export function sendAsset(req: IncomingMessage, res: ServerResponse, { type, body, tag }: Asset): void {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache', ETag: tag };
  if (req.headers['if-none-match'] === tag) {
    res.writeHead(304, { ...SECURITY, ...headers });
    res.end();
  } else answer(res, 200, headers, body);
}
