import { describe, expect, test } from '@jest/globals';
import { BreakerMachine } from '../../src/algorithms/breaker.js';
import { seededRandom } from '../../src/index.js';
import { bad, codesOf, count, good, guarded, Held, hang, repeat, single } from './support/single.js';

const HOUR = 3_600_000;

describe('what breakers get wrong', () => {
  test('F-03 an idle hour leaves nothing in the window', async () => {
    const few = guarded({ window: '5s', minCalls: 5, failureRate: 0.5 });
    await repeat(4, () => few.dep.settle(bad));
    await few.clock.advance(HOUR);
    await few.dep.settle(bad);
    expect(few.breaker()).toMatchObject({ state: 'closed', calls: 1, failures: 1 });

    const many = guarded({ window: '5s', minCalls: 91, failureRate: 0.5, consecutive: 91 });
    await repeat(90, () => many.dep.settle(bad));
    await many.clock.advance(HOUR);
    await many.dep.settle(bad);
    expect(many.breaker()).toMatchObject({ state: 'closed', calls: 1, failures: 1 });
  }, 30_000);

  test('F-04 a breaker that opens ends the retry loop around it', async () => {
    const { clock, dep } = guarded(
      { consecutive: 2, failureRate: false, openFor: '10s' },
      { retry: { attempts: 7, backoff: { base: '100ms', jitter: 'none' }, budget: false } },
    );
    const at: number[] = [];
    const work = () => {
      at.push(clock.now());
      return bad();
    };
    const done = dep.settle(work, { idempotent: true });
    await clock.runToIdle();
    expect((await done).error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'breaker', attempts: 2 });
    expect([at, clock.now()]).toEqual([[0, 100], 100]);
  }, 30_000);

  test('F-05 calls that the bulkhead refuses are no failures', async () => {
    const { clock, dep, breaker } = guarded(
      { minCalls: 1, failureRate: 0.5, consecutive: 1 },
      { bulkhead: { concurrent: 1, queue: 0, wait: 0 } },
    );
    const upstream = new Held();
    const calls = Array.from({ length: 4 }, () => dep.settle(upstream.work));
    await clock.advance(0);
    upstream.succeed(0);
    const codes = codesOf(await Promise.all(calls));
    expect(codes).toEqual(['ok', 'ERR_BULKHEAD_FULL', 'ERR_BULKHEAD_FULL', 'ERR_BULKHEAD_FULL']);
    expect(breaker()).toMatchObject({ state: 'closed', calls: 1, failures: 0 });
  }, 30_000);

  test('F-06 one failure opens nothing by default', async () => {
    const { dep, breaker } = single({});
    await dep.settle(bad);
    expect(breaker()).toMatchObject({ state: 'closed', calls: 1, failures: 1 });
  }, 30_000);

  test('F-08 refusals of our own are not in the sample', async () => {
    const { clock, dep, breaker } = guarded(
      { minCalls: 20, failureRate: 1 },
      { bulkhead: { concurrent: 1, queue: 0, wait: 0 } },
    );
    const upstream = new Held();
    const running = dep.settle(upstream.work);
    const refused = await Promise.all(Array.from({ length: 20 }, () => dep.settle(good)));
    expect(count(codesOf(refused), 'ERR_BULKHEAD_FULL')).toBe(20);
    upstream.fail(0);
    await running;
    await clock.advance(0);
    await repeat(18, () => dep.settle(bad));
    expect(breaker()).toMatchObject({ state: 'closed', calls: 19, failures: 19 });
    await dep.settle(bad);
    expect(dep.breaker.state).toBe('open');
  }, 30_000);

  test('F-09 nobody waits behind a probe that never settles', async () => {
    const { clock, dep } = guarded(
      { consecutive: 1, failureRate: false, openFor: '5s' },
      { attempt: { timeout: false }, deadline: false },
    );
    await dep.settle(bad);
    await clock.advanceTo(5000);
    void dep.settle(hang);
    await clock.advance(0);
    const others = await Promise.all([dep.settle(good), dep.settle(good)]);
    expect(codesOf(others)).toEqual(['ERR_BREAKER_OPEN', 'ERR_BREAKER_OPEN']);
    expect(clock.now()).toBe(5000);
    await clock.advanceTo(15_000);
    await expect(dep.call(good)).resolves.toBe('fine');
    expect(dep.breaker.state).toBe('closed');
  }, 30_000);

  test('F-10 every cycle admits exactly as many probes as it may', async () => {
    const { clock, dep } = guarded({ consecutive: 2, failureRate: false, openFor: '5s', probes: 2 });
    await repeat(2, () => dep.settle(bad));
    for (let cycle = 1; cycle <= 4; cycle++) {
      await clock.advanceTo(cycle * 5000);
      const upstream = new Held();
      const calls = Array.from({ length: 5 }, () => dep.settle(upstream.work));
      await clock.advance(0);
      expect(upstream.calls).toHaveLength(2);
      upstream.fail(0);
      upstream.fail(1);
      expect(count(codesOf(await Promise.all(calls)), 'ERR_BREAKER_OPEN')).toBe(3);
      expect(dep.breaker.state).toBe('open');
    }
  }, 30_000);

  test('F-11 the first of 501 keys is handled like any other', async () => {
    const policy = { scope: ({ operation }: { operation: string }) => operation, maxKeys: 500 };
    const { dep, now } = guarded({ ...policy, consecutive: 5 });
    for (let key = 0; key <= 500; key++) await dep.call(good, { operation: `route ${key}` });
    await expect(dep.call(good, { operation: 'route 0' })).resolves.toBe('fine');
    expect(now().breakers).toHaveLength(500);
  }, 30_000);

  test('F-20 the default window covers seconds', async () => {
    const { clock, dep, breaker } = single({ retry: false, breaker: { consecutive: false } });
    for (let call = 1; call < 20; call++) {
      await dep.settle(bad);
      expect(breaker()).toMatchObject({ state: 'closed', calls: call, failures: call });
      await clock.advance(20);
    }
    await dep.settle(bad);
    expect(dep.breaker.state).toBe('open');
  }, 30_000);

  test('F-23 recording a failure costs the same however many calls the window holds', () => {
    const options = { window: { ms: 10_000 }, minCalls: 1_000_000, failureRate: 0.5, consecutive: undefined };
    const open = { openForMs: 1000, maxOpenForMs: 1000, jitter: 0, leaseMs: 1000 };
    const rest = { slow: undefined, probes: { count: 1, rate: undefined }, operationsWindow: false };
    const costOf = (calls: number): number => {
      const machine = new BreakerMachine({ ...options, ...open, ...rest }, seededRandom(1));
      const record = (from: number, times: number) => {
        for (let i = 0; i < times; i++) machine.record(1, 'failure', 1, from + i * (5000 / times));
      };
      record(0, calls);
      expect(machine.tally(5000).calls).toBe(calls);
      const rounds = Array.from({ length: 40 }, (_, round) => {
        const began = performance.now();
        record(5000 + round, 500);
        return performance.now() - began;
      });
      return Math.min(...rounds);
    };
    costOf(1000);
    // a cost that grew with the window would show each time, what a busy machine does would not
    const spreads = Array.from({ length: 5 }, () => {
      const costs = [1000, 10_000, 30_000].map(costOf);
      return Math.max(...costs) / Math.min(...costs);
    });
    expect(Math.min(...spreads)).toBeLessThan(4);
  }, 30_000);
});
