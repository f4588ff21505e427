import { describe, expect, it } from '@jest/globals';
import { GateBench } from './support/gate-bench.js';
import { type LoadOptions, simulateLoad } from './support/simulated-loop.js';

const LOOP = { kind: 'loop', turnMs: 10, min: 1, max: 1000 } as const;

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

  it('refuses what is over nine tenths of what made turns long, again and again', async () => {
    const bench = new GateBench({ limit: LOOP });
    for (let i = 0; i < 100; i++) bench.guest('a');
    bench.turn();
    for (let i = 0; i < 4; i++) {
      await bench.clock.advance(30);
      bench.turn();
    }
    expect(bench.guest('x').verdict).toBe('refused');
    expect(bench.state.limit).toBeLessThanOrEqual(90);
    expect(bench.state.limit).toBeGreaterThanOrEqual(1);
  });

  it('refuses nobody any more once the loop has been idle', async () => {
    const bench = new GateBench({ limit: LOOP });
    for (let i = 0; i < 100; i++) bench.guest('a');
    bench.turn();
    for (let i = 0; i < 6; i++) {
      await bench.clock.advance(30);
      bench.turn();
    }
    expect(bench.guest('x').verdict).toBe('refused');
    bench.idleMs += 300;
    await bench.clock.advance(300);
    expect(bench.guest('y').verdict).toBe('admitted');
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
    [5, 0.7],
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

  it('refuses the sheddable first', () => {
    const { goodOf, sentOf } = run({
      rate: 750,
      seed: 3,
      priority: (i) => (i % 5 === 0 ? 'critical' : 'sheddable'),
    });
    expect(goodOf('critical') / sentOf('critical')).toBeGreaterThan(0.99);
    expect(goodOf('sheddable') / sentOf('sheddable')).toBeLessThan(0.3);
  });
});
