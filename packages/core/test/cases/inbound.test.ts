import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { VegasLimit } from '../../src/algorithms/limits/vegas.js';
import { LatencyCeiling } from '../../src/inbound/latency-ceiling.js';
import { LoopCeiling } from '../../src/inbound/loop-ceiling.js';
import { CRITICALITIES, rankOf } from '../../src/inbound/request-facts.js';
import { createSpillway, type SpillwayEvent, VirtualClock } from '../../src/index.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A server that answers with the time a request has for its work. */
async function timeLeft(onMalformed: 'ignore' | 'reject') {
  const events: SpillwayEvent[] = [];
  const deadline = { default: '10s', max: '20s', margin: 0, onMalformed } as const;
  const observers = [(event: SpillwayEvent) => void events.push(event)];
  const spillway = createSpillway({ inbound: { deadline } }, { clock: new VirtualClock(), observers });
  const server = createServer((req, res) => {
    const inbound = spillway.inbound.enter(req, res);
    if (inbound.decision === 'admitted') res.end(String(inbound.remainingMs()));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  const ask = (name: string, value: string | string[]): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const outgoing = request({ port, host: '127.0.0.1', headers: { [name]: value } }, (res) => {
        let body = '';
        res.on('data', (chunk) => {
          body += chunk;
        });
        res.on('end', () => resolve({ status: res.statusCode ?? 0, body }));
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  return { ask, counted: () => events.filter(({ type }) => type === 'inbound.malformed').length };
}

const BUDGET = 'x-request-budget-ms';
const MALFORMED: readonly (readonly [name: string, value: string | string[]])[] = [
  ...['-1', '0', '+5', '1e3', '10s', '5.5', '', 'NaN', '50, 5000', '1000000000000000'].map(
    (value) => [BUDGET, value] as const,
  ),
  [BUDGET, ['50', '5000']],
  ['grpc-timeout', '100000000m'],
  ['connect-timeout-ms', '10000000000'],
];

describe('the inbound side', () => {
  test('C-059 takes a malformed deadline for none, or refuses it, and counts it once', async () => {
    const ignoring = await timeLeft('ignore');
    const rejecting = await timeLeft('reject');
    let asked = 0;
    for (const [name, value] of MALFORMED) {
      asked++;
      const told = [name, value, await ignoring.ask(name, value)];
      expect(told).toEqual([name, value, { status: 200, body: '10000' }]);
      expect((await rejecting.ask(name, value)).status).toBe(400);
      expect([ignoring.counted(), rejecting.counted()]).toEqual([asked, asked]);
    }
    expect(asked).toBe(13);
    expect(await ignoring.ask(BUDGET, '500')).toEqual({ status: 200, body: '500' });
    expect(await ignoring.ask(BUDGET, '120000')).toEqual({ status: 200, body: '20000' });
    expect([ignoring.counted(), rejecting.counted()]).toEqual([13, 13]);
  });

  test('F-24 reads the load of the last moments, not the average since the start', () => {
    const clock = new VirtualClock();
    let waiting: (() => void)[] = [];
    const loop = { onNextTurn: (then: () => void) => void waiting.push(then), idleMs: () => 4000 };
    const rank = rankOf('critical');
    const inside = 20;
    const ranks = CRITICALITIES.map((_, r) => (r === rank ? inside : 0));
    const crowd = { total: inside, ranks };
    const options = { turnMs: 10, min: 1, max: 1000 };
    const ceiling = new LoopCeiling(options, {
      clock,
      loop,
      crowd,
      waiting: () => 0,
      relaxed: () => undefined,
    });
    const turn = (ms: number) => {
      ceiling.arrived({ rank, isFirst: false }, clock.now());
      ceiling.entered(rank);
      clock.tick(ms);
      const due = waiting;
      waiting = [];
      for (const then of due) then();
    };
    clock.tick(4000);
    turn(0);
    expect(ceiling.admits(rank, clock.now())).toBe(true);
    while (clock.now() < 9500) turn(50);
    expect(ceiling.limit).toBeLessThan(inside);
    expect(ceiling.admits(rank, clock.now())).toBe(false);
  });

  test('F-26 never learns from what failed fast how fast an idle server is', () => {
    const limit = new VegasLimit({ initial: 20, min: 1, max: 100, smoothing: 1 }, () => 0.99);
    const ceiling = new LatencyCeiling(limit, { total: 20, ranks: [0, 0, 20, 0] });
    ceiling.left('success', 100, 0);
    ceiling.left('ignored', 1, 1);
    ceiling.left('success', 100, 2);
    const grown = limit.limit;
    expect(grown).toBeGreaterThan(20);
    ceiling.left('dropped', 1, 3);
    const dropped = limit.limit;
    expect(dropped).toBeLessThan(grown);
    ceiling.left('success', 100, 4);
    expect(limit.limit).toBeGreaterThan(dropped);
  });
});
