import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly message: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values, each line apart. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly text: string;
  json(): Record<string, unknown>;
}

export interface WireRequest {
  readonly method?: string;
  readonly key?: string | readonly string[];
  readonly headers?: Record<string, string | readonly string[]>;
  readonly body?: string | Uint8Array;
  /** Sends the body in these parts, chunked. */
  readonly parts?: readonly (string | Uint8Array)[];
  readonly localAddress?: string;
}

/** Sends one request on a connection of its own and reads the whole answer. Rejects when the connection is cut. */
export function send(url: string, options: WireRequest = {}): Promise<WireAnswer> {
  const { method = 'POST', key, body, parts, localAddress } = options;
  const headers: Record<string, string | readonly string[]> = { ...options.headers };
  if (body !== undefined) {
    headers['content-type'] ??= 'application/json';
    headers['content-length'] = String(Buffer.byteLength(body));
  }
  if (key !== undefined) headers['idempotency-key'] = key;
  return new Promise((resolve, reject) => {
    const req = httpRequest(url, {
      method,
      headers: headers as Record<string, string | string[]>,
      agent: false,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    req.on('error', reject);
    req.on('response', (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('aborted', () => reject(new Error('cut short')));
      res.on('end', () => {
        const all = Buffer.concat(chunks);
        resolve({
          status: res.statusCode ?? 0,
          message: res.statusMessage ?? '',
          headers: res.headers,
          rawHeaders: res.rawHeaders,
          body: all,
          text: all.toString(),
          json: () => JSON.parse(all.toString()) as Record<string, unknown>,
        });
      });
    });
    for (const part of parts ?? []) req.write(part);
    req.end(body);
  });
}

/** `send` with a key and a JSON body. */
export function post(
  url: string,
  key: string | undefined,
  body: unknown = { amount: 1 },
  more: WireRequest = {},
): Promise<WireAnswer> {
  return send(url, { ...more, ...(key === undefined ? {} : { key }), body: JSON.stringify(body) });
}

/** A promise to settle from outside. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  ms = 5_000,
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
