import { describe, expect, it } from '@jest/globals';
import type { Criticality } from '../../src/index.js';
import { GateBench, type GateBenchOptions, type TestGuest } from './support/gate-bench.js';
import { type LoadOptions, simulateLoad } from './support/simulated-loop.js';

/** One request of so many is critical, the others sheddable. */
const criticalEvery =
  (n: number) =>
  (i: number): Criticality =>
    i % n === 0 ? 'critical' : 'sheddable';

const LOOP = { kind: 'loop', turnMs: 10, min: 1, max: 1000 } as const;

/** Ten come in each of `turns` turns, which take 30 ms each. */
async function overload(
  bench: GateBench,
  turns = 30,
  priority: Criticality = 'critical',
): Promise<TestGuest[]> {
  const inside = Array.from({ length: 10 }, (_, i) => bench.guest(`first ${i}`, priority));
  bench.turn();
  for (let i = 0; i < turns; i++) {
    await bench.clock.advance(30);
    const due = bench.turns.splice(0);
    for (const guest of inside.splice(0)) bench.leave(guest);
    for (let k = 0; k < 10; k++) {
      const guest = bench.guest(`${i} ${k}`, priority);
      if (guest.verdict === 'admitted') inside.push(guest);
    }
    for (const then of due) then();
  }
  return inside;
}

describe('the loop limit, turn by turn', () => {
  /** One arrival and the whole turn after it, of `ms`. */
  async function turn(bench: GateBench, ms: number): Promise<void> {
    bench.turn();
    await bench.clock.advance(ms);
    bench.turn();
  }

  it('starts at the maximum', () => {
    expect(new GateBench({ limit: LOOP }).state.limit).toBe(1000);
  });

  it('measures a turn only after an arrival, and does not keep an idle loop awake', async () => {
    const bench = new GateBench({ limit: LOOP });
    expect(bench.turns).toHaveLength(0);
    bench.guest('a');
    bench.guest('b');
    expect(bench.turns).toHaveLength(1);
    await turn(bench, 1);
    expect(bench.turns).toHaveLength(0);
  });

  it('measures turn after turn while they are long', async () => {
    const bench = new GateBench({ limit: LOOP });
    bench.guest('a');
    await turn(bench, 20);
    expect(bench.turns).toHaveLength(1);
    await bench.clock.advance(1);
    bench.turn();
    expect(bench.turns).toHaveLength(0);
  });

  it('refuses nobody for a single stall, however long', async () => {
    const bench = new GateBench({ limit: LOOP });
    for (let i = 0; i < 100; i++) bench.guest('a');
    await turn(bench, 800);
    expect(Array.from({ length: 50 }, () => bench.guest('x').verdict)).not.toContain('refused');
  });

  it('says that there is no limit until it has recognised overload', async () => {
    const bench = new GateBench({ limit: LOOP });
    await overload(bench, 6);
    expect(bench.state.limit).toBe(1000);
    await overload(bench);
    expect(bench.state.limit).toBeLessThan(10);
  });

  it('refuses what does not fit into a turn, and no more, once overload stands', async () => {
    const bench = new GateBench({ limit: LOOP });
    await overload(bench);
    expect(bench.state.limit).toBeLessThanOrEqual(3);
    expect(bench.log.filter((line) => line.includes('refused')).length).toBeGreaterThan(20);
    expect(bench.guest('x').verdict).toBe('refused');
    expect(bench.state.inFlight).toBeGreaterThanOrEqual(1);
  });

  it('does not count time in which others had the processor', async () => {
    const bench = new GateBench({ limit: LOOP });
    bench.cpuMs = 0;
    await overload(bench, 60);
    expect(bench.log.filter((line) => line.includes('refused'))).toEqual([]);
    expect(bench.state.limit).toBe(1000);
  });

  it('refuses nobody any more once the loop has been idle', async () => {
    const bench = new GateBench({ limit: LOOP });
    await overload(bench);
    expect(bench.guest('x').verdict).toBe('refused');
    bench.idleMs += 300;
    await bench.clock.advance(300);
    expect(bench.guest('y').verdict).toBe('admitted');
  });
});

describe('who is above those that are shed, while connections are fetched', () => {
  /** Sheddable ones have just been found too many, and more of them wait to be accepted; nobody is inside. */
  async function flushing(options: Omit<GateBenchOptions, 'limit'> = {}): Promise<GateBench> {
    const bench = new GateBench({ limit: LOOP, ...options });
    bench.connects = true;
    for (const guest of await overload(bench, 14, 'sheddable')) bench.leave(guest);
    bench.log.length = 0;
    return bench;
  }

  /** So many turns of 1 ms in which nobody connects. */
  async function quietTurns(bench: GateBench, count: number): Promise<void> {
    bench.connects = false;
    for (let i = 0; i < count; i++) {
      await bench.clock.advance(1);
      bench.turn();
    }
  }

  it('waits for the moment it takes, and comes in then, a few a turn', async () => {
    const bench = await flushing();
    const waiting = Array.from({ length: 6 }, (_, i) => bench.guest(`g${i}`));
    const first = bench.guest('first', 'critical_plus');
    expect(bench.guest('shed', 'sheddable').verdict).toBe('refused');
    expect([first, ...waiting].map(({ verdict }) => verdict)).toEqual(Array(7).fill('queued'));
    bench.log.length = 0;
    const { limit } = bench.state;
    const inTurns: number[] = [];
    for (let before = 0; before < 7 && inTurns.length < 20; before = bench.log.length) {
      await quietTurns(bench, 1);
      inTurns.push(bench.log.length - before);
    }
    expect(limit).toBeLessThan(4);
    expect(Math.max(...inTurns)).toBe(limit);
    expect(bench.log).toEqual(
      ['first', 'g0', 'g1', 'g2', 'g3', 'g4', 'g5'].map((name) => `${name} admitted`),
    );
    expect(bench.state).toMatchObject({ inFlight: 7, queued: 0 });
  });

  it('waits in a line of twenty: for each one more the first comes in', async () => {
    const bench = await flushing();
    for (let i = 0; i < 20; i++) bench.guest(`g${i}`);
    expect(bench.log).toEqual([]);
    expect(bench.guest('g20').verdict).toBe('queued');
    bench.guest('g21');
    expect(bench.log).toEqual(['g0 admitted', 'g1 admitted']);
    expect(bench.state.queued).toBe(20);
  });

  it('waits no longer than it has time', async () => {
    const bench = await flushing();
    bench.guest('a', 'critical', 40);
    await bench.clock.advance(41);
    expect(bench.log).toEqual(['a refused: deadline']);
  });

  it('comes in when connections come for ever, and so does who comes in that very moment', async () => {
    const bench = await flushing();
    bench.guest('a');
    const began = bench.clock.now();
    let last: TestGuest | undefined;
    for (let i = 0; i < 200 && !bench.log.includes('a admitted'); i++) {
      await bench.clock.advance(5);
      bench.guest('x', 'sheddable');
      last = bench.guest('last');
      if (last.verdict === 'queued') bench.gate.withdraw(last);
      bench.turn();
    }
    expect(bench.log).toContain('a admitted');
    expect(bench.clock.now() - began).toBeLessThan(260);
    expect(bench.log.filter((line) => line.startsWith('last'))).toEqual([]);
    expect(last?.verdict).not.toBe('refused');
  });

  it('is not forgotten where the flush began in a turn after which none would have been measured', async () => {
    const bench = await flushing();
    bench.connects = false;
    for (let i = 0; i < 3; i++) {
      await bench.clock.advance(3);
      bench.turn();
    }
    bench.connects = true;
    for (const ms of [3, 3, 3, 1]) {
      const guest = bench.guest('s', 'sheddable');
      if (guest.verdict === 'admitted') bench.leave(guest);
      await bench.clock.advance(ms);
      bench.turn();
    }
    const a = bench.guest('a', 'critical', 30_000);
    await quietTurns(bench, 10);
    expect(a.place).toBe('inside');
    expect(bench.state.queued).toBe(0);
  });

  it('is told when the gate closes for good', async () => {
    const bench = await flushing();
    bench.guest('a');
    bench.gate.clear('draining');
    expect(bench.log).toEqual(['a refused: draining']);
    expect(bench.state.queued).toBe(0);
  });

  it('comes in at once where the gate only observes', async () => {
    const bench = await flushing({ mode: 'observe' });
    expect(bench.guest('a').verdict).toBe('admitted');
  });

  it('is not judged by how long it had to wait, as those in a queue are', async () => {
    const bench = await flushing({ queue: { size: 100, order: 'adaptive', waitMs: 500 } });
    for (let i = 0; i < 8; i++) bench.guest(`g${i}`);
    for (let i = 0; i < 40; i++) {
      await bench.clock.advance(5);
      bench.guest('x', 'sheddable');
      bench.turn();
    }
    await quietTurns(bench, 20);
    const ours = bench.log.filter((line) => line.startsWith('g'));
    expect(ours.sort()).toEqual(Array.from({ length: 8 }, (_, i) => `g${i} admitted`));
  });

  it('takes nobody a share that was guaranteed', async () => {
    const bench = await flushing({ shares: { sheddable: 0.5 } });
    expect(bench.guest('a').verdict).toBe('queued');
    expect(bench.guest('s', 'sheddable').verdict).toBe('admitted');
  });
});

describe('the loop limit under load, in virtual time', () => {
  const run = (options: Partial<LoadOptions>) => {
    const load = { rate: 250, seconds: 6, workMs: 4, deadlineMs: 500, limit: LOOP, ...options };
    const result = simulateLoad(load);
    const capacity = (load.seconds * 1000) / load.workMs;
    return { ...result, goodput: result.good / capacity, lateShare: result.late / result.sent };
  };

  it.each([
    [1.5, 0.9],
    [3, 0.8],
    [5, 0.8],
    [10, 0.7],
  ])(
    'at %d times the capacity answers at least %d of it in time, and refuses the rest quickly',
    (x, least) => {
      const { goodput, lateShare, refusedP50, inFlight } = run({ rate: 250 * x });
      expect(goodput).toBeGreaterThan(least);
      expect(lateShare).toBeLessThan(0.01);
      expect(refusedP50).toBeLessThan(20);
      expect(inFlight).toBe(0);
    },
  );

  it.each([
    ['clients that hang up at their deadline', 750, 0, 0.06, 0.85],
    [
      'clients that hang up, and refusals in front of the framework, at ten times the capacity',
      2500,
      0,
      0.03,
      0.8,
    ],
    ['clients that hang up, on half a processor', 375, 1, 0.06, 0.8],
    ['clients that hang up, on half a processor, in front of the framework', 1250, 1, 0.03, 0.7],
  ])('does the same for %s', (_what, rate, neighbours, costMs, least) => {
    for (const seed of [1, 2, 3]) {
      const { good, lateShare } = run({
        rate,
        neighbours,
        readMs: costMs,
        refuseMs: costMs / 1.5,
        hangUpMs: 500,
        seed,
      });
      expect((good * (1 + neighbours)) / 1500).toBeGreaterThan(least);
      expect(lateShare).toBeLessThan(0.01);
    }
  });

  it.each([
    [1.2, 0.8, 0.01],
    [1.5, 0.8, 0.01],
    [3, 0.8, 0.04],
  ])('does the same where each request has a connection of its own, at %d times', (x, least, late) => {
    for (const seed of [1, 2, 3]) {
      const { goodput, lateShare } = run({ rate: 250 * x, seed, oneEach: true, hangUpMs: 500, seconds: 12 });
      expect(goodput).toBeGreaterThan(least);
      expect(lateShare).toBeLessThan(late);
    }
  });

  it('refuses nobody at 80 % of the capacity where each request has a connection of its own', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      expect(run({ rate: 200, seed, oneEach: true, seconds: 60 }).refused).toBe(0);
    }
  });

  it('does the same for handlers that wait before they work', () => {
    const { goodput, lateShare } = run({ rate: 750, awaitMs: 50 });
    expect(goodput).toBeGreaterThan(0.8);
    expect(lateShare).toBeLessThan(0.01);
  });

  it('does the same for handlers longer than a turn should be', () => {
    const { goodput, lateShare } = run({ rate: 150, workMs: 20 });
    expect(goodput).toBeGreaterThan(0.9);
    expect(lateShare).toBeLessThan(0.01);
  });

  it('refuses nobody while the server keeps up', () => {
    expect(run({ rate: 200 }).refused).toBe(0);
    expect(run({ rate: 237, workMs: 4 }).refused).toBe(0);
    expect(run({ rate: 800, workMs: 1 }).refused).toBe(0);
    expect(run({ rate: 40, workMs: 20 }).refused).toBe(0);
  });

  it('never refuses a healthy server, not in its first second and not when it stalls', () => {
    const stalls = [
      [10, 30],
      [60, 20],
      [3000, 60],
      [3100, 40],
      [8000, 200],
    ] as const;
    const { refused, good, sent } = run({
      rate: 200,
      awaitMs: 500,
      workMs: 0.1,
      seconds: 20,
      deadlineMs: 2000,
      stalls,
    });
    expect(refused).toBe(0);
    expect(good).toBe(sent);
  });

  describe.each([
    [1, 755],
    [4, 200],
    [20, 40],
  ])('at 80 %% of the capacity, handlers of %d ms, arrivals at random', (workMs, rate) => {
    const runs = (connections: number) =>
      Array.from({ length: 12 }, (_, i) => run({ rate, workMs, connections, seconds: 20, seed: i + 1 }));

    it('refuses nobody', () => {
      expect(runs(50).map(({ refused }) => refused)).toEqual(Array(12).fill(0));
    });

    it('may take a busy moment for overload while each client still has to connect, seldom and briefly', () => {
      const cold = runs(0);
      const refused = cold.reduce((sum, one) => sum + one.refused, 0);
      const sent = cold.reduce((sum, one) => sum + one.sent, 0);
      expect(cold.filter((one) => one.refused === 0).length).toBeGreaterThanOrEqual(9);
      expect(refused / sent).toBeLessThan(0.002);
    });
  });

  it('refuses nobody while other processes take the processor', () => {
    for (const neighbours of [1, 4, 9]) {
      for (const light of [
        { rate: 40, workMs: 2 },
        { rate: 20, workMs: 4, awaitMs: 100 },
        { rate: 100, workMs: 0.5, awaitMs: 500 },
      ]) {
        const { refused, sent } = run({ ...light, neighbours, seconds: 20, seed: 7, deadlineMs: 60_000 });
        expect(sent).toBeGreaterThan(300);
        expect(refused).toBe(0);
      }
    }
  });

  it.each([
    [1, 4],
    [3, 4],
    [5, 4],
    // the critical ones alone fill four fifths of the processor: their bursts make turns long
    [1, 5],
    [3, 5],
    [5, 5],
  ])(
    'lets the critical fifth in at three times the capacity, and sheds the rest (%i, %i ms)',
    (seed, workMs) => {
      const { goodOf, sentOf, goodput } = run({
        rate: 750,
        seed,
        workMs,
        priority: criticalEvery(5),
      });
      expect(goodOf('critical') / sentOf('critical')).toBeGreaterThan(0.99);
      expect(goodOf('sheddable') / sentOf('sheddable')).toBeLessThan(0.3);
      expect(goodput).toBeGreaterThan(0.8);
    },
  );

  it.each([
    [1, 4],
    [2, 4],
    [3, 5],
    [4, 5],
  ])('loses none of the critical fifth while it finds out about the overload (%i, %i ms)', (seed, workMs) => {
    const { goodOf, sentOf, late } = run({
      rate: 750,
      seed,
      workMs,
      seconds: 1,
      priority: criticalEvery(5),
    });
    expect(goodOf('critical')).toBe(sentOf('critical'));
    expect(late).toBe(0);
  });

  it.each([
    [20, 1],
    [20, 4],
    [30, 1],
    [30, 4],
  ])(
    'goes on taking overload for what it is where handlers wait for %i ms before they work (%i)',
    (awaitMs, seed) => {
      const { goodOf, sentOf, goodput } = run({
        rate: 750,
        seed,
        awaitMs,
        seconds: 12,
        hangUpMs: 500,
        priority: criticalEvery(5),
      });
      expect(goodOf('critical') / sentOf('critical')).toBeGreaterThan(0.85);
      expect(goodput).toBeGreaterThan(0.75);
    },
  );

  it.each([1, 3, 5])('limits critical traffic that is too much by itself, others or not (%i)', (seed) => {
    const { goodOf, sentOf, goodput, lateShare } = run({
      rate: 750,
      seed,
      priority: criticalEvery(2),
    });
    expect(goodOf('critical') / sentOf('critical')).toBeGreaterThan(0.5);
    expect(goodOf('sheddable')).toBeLessThan(0.1 * sentOf('sheddable'));
    expect(goodput).toBeGreaterThan(0.8);
    expect(lateShare).toBeLessThan(0.08);
  });

  it('does not drift in five minutes at three times the capacity', () => {
    const { goodByMinute, goodput, lateShare, inFlight } = run({ rate: 750, seconds: 300, seed: 2 });
    expect(goodByMinute).toHaveLength(5);
    expect(Math.min(...goodByMinute) / Math.max(...goodByMinute)).toBeGreaterThan(0.97);
    expect(goodput).toBeGreaterThan(0.8);
    expect(lateShare).toBeLessThan(0.001);
    expect(inFlight).toBe(0);
  });

  it('stops refusing soon after the load has gone down to what it can serve', () => {
    const calm = run({ rate: 200, seconds: 4, burst: { rate: 750, untilMs: 2000 } });
    expect(calm.refused).toBeGreaterThan(500);
    expect(calm.lastRefusedAt).toBeLessThan(2700);
  });
});
