import { describe, expect, test } from '@jest/globals';
import { manualClock } from '@spillway/testing';
import { errorOf, eventually, scene, serve, wire } from '../support/scene.js';

describe('answers that are not handed on', () => {
  /** Answers 503 with 5 MB in chunks `bad` times, then 200. */
  async function bigFailures(bad: number) {
    let requests = 0;
    let written = 0;
    let open = 0;
    let peak = 0;
    const { url, server } = await serve((_request, response) => {
      if (++requests > bad) return void response.end('fine');
      response.statusCode = 503;
      let left = 80;
      const pump = (): void => {
        if (response.destroyed) return;
        for (; left > 0; left--) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536)))
            return void response.once('drain', () => {
              left--;
              pump();
            });
        }
        response.end();
      };
      pump();
    });
    server.on('connection', (socket) => {
      peak = Math.max(peak, ++open);
      socket.once('close', () => open--);
    });
    return { url, requests: () => requests, written: () => written, peak: () => peak, open: () => open };
  }

  test('are read up to a limit, then their connection is closed', async () => {
    const clock = manualClock();
    const big = await bigFailures(3);
    const retry = { attempts: 4, backoff: { base: '20ms', jitter: 'none' }, budget: false } as const;
    const { client } = wire(big.url, { bulkhead: { concurrent: 1 }, retry }, { clock });
    const answer = client.get('a').text();
    for (let attempt = 1; attempt < 4; attempt++) {
      // asleep before the next attempt, its connection closed
      await eventually(() => big.requests() === attempt && big.open() === 0 && clock.pending === 1);
      await clock.advance(80);
    }
    expect(await answer).toBe('fine');
    expect(big.peak()).toBe(1);
    expect(big.written()).toBeLessThan(3 * 5_000_000);
  });

  test('leave the status as what failed', async () => {
    const big = await bigFailures(9);
    const { client } = wire(big.url, { retry: false });
    const error = await errorOf(client.get('a'));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', status: 503, sent: 'answered' });
    expect(error.cause).toMatchObject({ name: 'HTTPError', response: { statusCode: 503 } });
  });

  test('are closed unread when they say that they are longer', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(503, { 'content-length': 10_000_000 });
      response.write('x');
    });
    const { client } = wire(url, { retry: false });
    expect(await errorOf(client.get('a'))).toMatchObject({ code: 'ERR_UPSTREAM', status: 503 });
  });

  test('are read and their connection kept when they are short', async () => {
    const { client, server } = await scene([{ status: 503, body: 'x'.repeat(50_000) }, 200]);
    await client.get('a');
    expect(server.hits.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  test('are read to the end for a classify that may want them', async () => {
    const { client } = await scene({ status: 503, body: 'x'.repeat(200_000) });
    const lengths: number[] = [];
    const classify = (result: unknown) => {
      lengths.push((result as { response: { body: string } }).response.body.length);
      return 'success' as const;
    };
    const error = await errorOf(client.get('a', { classify }));
    expect(error).toMatchObject({ name: 'HTTPError' });
    expect(lengths).toEqual([200_000]);
  });

  test('a long answer that is no failure is read in full', async () => {
    const { client } = await scene({ status: 404, body: 'x'.repeat(200_000) });
    expect((await errorOf(client.get('a'))).response.body).toHaveLength(200_000);
  });

  test('HEAD has no body that could be too long', async () => {
    const { client, server } = await scene([{ status: 503, body: 'x'.repeat(200_000) }, 200]);
    await client.head('a');
    expect(server.hits.map(({ connection }) => connection)).toEqual([1, 1]);
  });
});
