import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { spillwayError } from '@spillway/core';
import type { Exchange } from '../support/frameworks.js';
import { Bench, storesAndFrameworks } from '../support/matrix.js';
import { eventually, gate, post, send, type WireAnswer } from '../support/wire.js';

const { pairs, dispose } = await storesAndFrameworks();
const bench = new Bench();
afterEach(() => bench.close());
afterAll(dispose, 30_000);

/** Sends a request by hand and hangs up once the handler runs. */
async function hangUp(url: string, key: string, body: string, running: () => boolean): Promise<void> {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    `Idempotency-Key: ${key}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  await eventually('the handler runs', running);
  socket.destroy();
}

const STREAMED: readonly (readonly [string, string, (x: Exchange) => unknown])[] = [
  [
    'three piped chunks',
    'POST',
    (x) => x.raw((res) => void Readable.from(['one,', 'two,', 'three']).pipe(res)),
  ],
  ['a Buffer', 'POST', (x) => x.send(200, {}, Buffer.from([0, 1, 2, 250, 251]))],
  [
    'write and end',
    'POST',
    (x) =>
      x.raw((res) => {
        res.write('a');
        res.write('b');
        res.end('c');
      }),
  ],
  ['HEAD', 'HEAD', (x) => x.send(200, { 'X-Kind': 'head' })],
  ['204', 'POST', (x) => x.send(204, { 'X-Kind': 'none' })],
];

function replays(first: WireAnswer, second: WireAnswer): void {
  expect(second.status).toBe(first.status);
  expect(second.body.equals(first.body)).toBe(true);
  expect(second.headers['x-kind']).toBe(first.headers['x-kind']);
  expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([
    undefined,
    'true',
  ]);
}

describe.each(pairs)('%s behind %s', (_store, _name, make, framework) => {
  test('C-079 failures and refusals are not stored, definite answers are, also when the client had left', async () => {
    const { store } = await bench.rig(make);
    const seen = new Map<string, number>();
    const finish = gate();
    const app = await bench.serve(framework, { store, required: true }, async (x) => {
      const kind = String((x.body as { kind: string }).kind);
      const run = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, run);
      if (kind === 'left') await finish.opened;
      if (kind === '400') return x.send(400, {}, { run });
      if (run > 1 || kind === 'left') return x.send(201, {}, { run });
      if (kind === '500') return x.send(500, {}, { run });
      if (kind === 'throws') throw new Error('boom');
      if (kind === '504') throw spillwayError('ERR_DEADLINE_EXCEEDED', 'too late');
      if (kind === 'limiter') throw spillwayError('ERR_OVERLOADED', 'full', { retryAfterMs: 1000 });
      throw spillwayError('ERR_BREAKER_OPEN', 'open', { retryAfterMs: 1000 });
    });
    const both = async (kind: string) => {
      const answers = [
        await post(`${app.url}/p`, kind, { kind }),
        await post(`${app.url}/p`, kind, { kind }),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await both('500')).toEqual([500, 201]);
    expect(await both('throws')).toEqual([500, 201]);
    expect(await both('504')).toEqual([504, 201]);
    expect(await both('limiter')).toEqual([503, 201]);
    expect(await both('breaker')).toEqual([503, 201]);
    expect(await both('400')).toEqual([400, 400]);
    expect(seen.get('400')).toBe(1);
    const body = JSON.stringify({ kind: 'left' });
    await hangUp(`${app.url}/p`, 'left', body, () => seen.get('left') === 1);
    finish.open();
    await eventually(
      'the answer is stored',
      async () => (await send(`${app.url}/p`, { key: 'left', body })).status === 201,
    );
    const replay = await send(`${app.url}/p`, { key: 'left', body });
    expect([replay.json()['run'], replay.headers['idempotent-replayed']]).toEqual([1, 'true']);
  });

  test('C-082 answers of every form are captured whole, and a large one is never run or replayed empty', async () => {
    const { store } = await bench.rig(make);
    const app = await bench.serve(
      framework,
      { store, required: true, methods: ['POST', 'HEAD'], maxStoredBody: 1_000 },
      (x) => {
        const found = STREAMED.find(([kind]) => x.req.headers['x-form'] === kind);
        if (found !== undefined) return found[2](x);
        if (x.req.headers['x-form'] === 'large') return x.send(200, {}, 'x'.repeat(1_001));
        return x.raw((res) => void Readable.from(['y'.repeat(900), 'y'.repeat(900)]).pipe(res));
      },
    );
    const ask = (form: string, method = 'POST') =>
      send(`${app.url}/${encodeURIComponent(form)}`, {
        key: form.replaceAll(' ', '-'),
        method,
        headers: { 'x-form': form },
      });
    for (const [form, method] of STREAMED) replays(await ask(form, method), await ask(form, method));
    expect(app.runs()).toBe(STREAMED.length);
    for (const [form, length] of [
      ['large', 1_001],
      ['large-stream', 1_800],
    ] as const) {
      const first = await ask(form);
      expect([first.status, first.body.byteLength]).toEqual([200, length]);
      const second = await ask(form);
      expect([second.status, second.headers['idempotent-stored']]).toEqual([409, 'false']);
      expect(String(second.json()['type'])).toMatch(/\/idempotency-result-not-stored$/);
      expect(second.headers['retry-after']).toBeUndefined();
      if (form === 'large') expect(first.headers['idempotent-stored']).toBe('false');
    }
    expect(app.runs()).toBe(STREAMED.length + 2);
  });

  test('C-083 a replay repeats the answer’s headers exactly and none of the exchange’s', async () => {
    const { store } = await bench.rig(make);
    const headers = {
      Location: '/payments/1?a=b,c',
      ETag: '"v1"',
      'Set-Cookie': ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2; Path=/'],
      'Content-Disposition': 'attachment; filename="a, b.csv"',
      'X-Request-Id': 'req-1',
      'Retry-After': '7',
      'X-RateLimit-Remaining': '3',
      Connection: 'close, X-Hop',
      'X-Hop': 'only here',
      Date: 'Mon, 01 Jan 2001 00:00:00 GMT',
    };
    const options = { store, required: true };
    const app = await bench.serve(framework, options, ({ send }) => send(201, headers, { ok: true }));
    const first = await post(`${app.url}/p`, 'K');
    const replay = await post(`${app.url}/p`, 'K');
    expect(first.headers['set-cookie']).toHaveLength(2);
    for (const name of ['location', 'etag', 'content-disposition', 'content-type'] as const) {
      expect(replay.headers[name]).toBe(first.headers[name]);
    }
    for (const name of ['set-cookie', 'x-request-id', 'retry-after', 'x-ratelimit-remaining', 'x-hop']) {
      expect(replay.headers[name]).toBeUndefined();
    }
    expect(replay.headers.date).not.toBe(headers.Date);
    expect(replay.headers.connection).not.toContain('X-Hop');
    expect([first.headers['idempotent-replayed'], replay.headers['idempotent-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    const withCookies = await bench.serve(framework, { ...options, replaySetCookie: true }, ({ send }) =>
      send(201, headers),
    );
    await post(`${withCookies.url}/c`, 'C');
    expect((await post(`${withCookies.url}/c`, 'C')).headers['set-cookie']).toEqual(headers['Set-Cookie']);
  });
});
