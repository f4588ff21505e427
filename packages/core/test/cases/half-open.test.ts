import { describe, expect, test } from '@jest/globals';
import { bad, codesOf, count, good, guarded, Held, hang, repeat } from './support/single.js';

const opensAtOnce = { consecutive: 1, failureRate: false, openFor: '10s' } as const;

describe('a breaker that is half-open', () => {
  test('C-001 reopens for a failed probe although its window holds fewer calls than the minimum', async () => {
    const { clock, dep } = guarded({ minCalls: 5, failureRate: 0.5, window: '10s', openFor: '30s' });
    await repeat(5, () => dep.settle(bad));
    expect(dep.breaker.state).toBe('open');
    await clock.advanceTo(30_000);
    await dep.settle(bad);
    expect(dep.breaker.state).toBe('open');
    expect(dep.breaker.retryAfterMs).toBe(30_000);
    await clock.advanceTo(59_999);
    expect(codesOf([await dep.settle(good)])).toEqual(['ERR_BREAKER_OPEN']);
    await clock.advanceTo(60_000);
    await expect(dep.call(good)).resolves.toBe('fine');
    expect(dep.breaker.state).toBe('closed');
  }, 30_000);

  test('C-002 lets one of fifty calls through, and reopens by that one alone', async () => {
    const { clock, dep } = guarded({ minCalls: 100, consecutive: 20, openFor: '10s' });
    await repeat(20, () => dep.settle(bad));
    await clock.advanceTo(10_000);
    const upstream = new Held();
    const calls = Array.from({ length: 50 }, () => dep.settle(upstream.work));
    await clock.advance(0);
    expect(upstream.calls).toHaveLength(1);
    upstream.fail(0);
    const codes = codesOf(await Promise.all(calls));
    expect(count(codes, 'ERR_BREAKER_OPEN')).toBe(49);
    expect(dep.breaker.state).toBe('open');
    expect(dep.breaker.retryAfterMs).toBe(10_000);
    await clock.advanceTo(20_000);
    await expect(dep.call(good)).resolves.toBe('fine');
  }, 30_000);

  test('C-003 admits exactly one probe in every cycle, a call refused during each', async () => {
    const { clock, dep } = guarded(opensAtOnce);
    await dep.settle(bad);
    for (const cycle of [1, 2, 3]) {
      await clock.advanceTo(cycle * 10_000);
      const upstream = new Held();
      const probe = dep.settle(upstream.work);
      const other = dep.settle(upstream.work);
      expect(codesOf([await other])).toEqual(['ERR_BREAKER_OPEN']);
      await clock.advance(0);
      expect(upstream.calls).toHaveLength(1);
      upstream.fail(0);
      await probe;
      expect(dep.breaker.state).toBe('open');
    }
    await clock.advanceTo(40_000);
    await dep.call(good);
    expect(dep.breaker.state).toBe('closed');
  }, 30_000);

  test('C-004 is in exactly one state whenever somebody looks', async () => {
    const { clock, dep, spillway, of } = guarded(opensAtOnce);
    const seen: (readonly [event: string, state: string])[] = [];
    spillway.subscribe((event) => {
      const name = event.type === 'breaker.transition' ? event.to : event.type;
      seen.push([name, dep.breaker.state]);
    });
    await dep.settle(bad);
    await clock.advanceTo(10_000);
    const upstream = new Held();
    const probe = dep.settle(upstream.work);
    await clock.advance(0);
    const refused = Array.from({ length: 20 }, () => dep.settle(upstream.work));
    upstream.succeed(0);
    expect(new Set(codesOf(await Promise.all(refused)))).toEqual(new Set(['ERR_BREAKER_OPEN']));
    expect(codesOf([await probe])).toEqual(['ok']);
    const moves = of('breaker.transition').map(({ from, to }) => `${from} ${to}`);
    expect(moves).toEqual(['closed open', 'open half-open', 'half-open closed']);
    for (const [event, state] of seen) {
      expect(['closed', 'open', 'half-open']).toContain(state);
      if (['closed', 'open', 'half-open'].includes(event)) expect(state).toBe(event);
    }
    await expect(dep.call(good)).resolves.toBe('fine');
    expect(dep.breaker.state).toBe('closed');
  }, 30_000);

  test('C-005 can probe after its state was restored', async () => {
    const before = guarded(opensAtOnce);
    await before.dep.settle(bad);
    const open = before.dep.breaker.export();
    await before.clock.advanceTo(10_000);
    void before.dep.settle(hang);
    await before.clock.advance(0);
    const halfOpen = before.dep.breaker.export();
    expect([open.state, halfOpen.state]).toEqual(['open', 'half-open']);

    for (const saved of [open, halfOpen]) {
      const { clock, dep, of } = guarded(opensAtOnce);
      await clock.advanceTo(3_600_000);
      dep.breaker.restore(JSON.parse(JSON.stringify(saved)));
      await expect(dep.call(good)).resolves.toBe('fine');
      expect(of('breaker.transition').map(({ to }) => to)).toContain('half-open');
      expect(dep.breaker.state).toBe('closed');
      expect(dep.breaker.export()).toMatchObject({ state: 'closed', openUntil: null });
    }
  }, 30_000);

  test('C-006 takes the place of a probe that never settles, and does not hear of its late end', async () => {
    const { clock, dep } = guarded(opensAtOnce, { attempt: { timeout: false }, deadline: false });
    await dep.settle(bad);
    await clock.advanceTo(10_000);
    const upstream = new Held();
    const first = dep.settle(upstream.work);
    await clock.advanceTo(19_999);
    expect(codesOf([await dep.settle(good)])).toEqual(['ERR_BREAKER_OPEN']);
    expect(dep.breaker.state).toBe('half-open');
    await clock.advanceTo(20_000);
    expect(dep.breaker.state).toBe('open');
    await clock.advanceTo(30_000);
    await expect(dep.call(good)).resolves.toBe('fine');
    expect(dep.breaker.state).toBe('closed');
    upstream.fail(0);
    await first;
    expect(dep.breaker.state).toBe('closed');
  }, 30_000);

  test('C-007 gives no permit away to those who only look', async () => {
    const { clock, dep, spillway, events } = guarded(opensAtOnce);
    await dep.settle(bad);
    await clock.advanceTo(10_000);
    const before = events.length;
    for (let i = 0; i < 1000; i++) {
      spillway.snapshot();
      spillway.health();
      dep.describe();
      expect([dep.breaker.state, dep.breaker.retryAfterMs]).toEqual(['half-open', 0]);
    }
    expect(events).toHaveLength(before);
    await expect(dep.call(good)).resolves.toBe('fine');
    expect(dep.breaker.state).toBe('closed');
  }, 30_000);

  test('C-008 judges its probes by their own number, and where asked to only after the last', async () => {
    const many = guarded({ minCalls: 100, failureRate: 0.5, probes: 10, openFor: '10s' });
    await repeat(100, () => many.dep.settle(bad));
    await many.clock.advanceTo(10_000);
    for (let probe = 1; probe <= 10; probe++) {
      expect(many.dep.breaker.state).toBe('half-open');
      await many.dep.call(good);
    }
    expect(many.dep.breaker.state).toBe('closed');

    const judged = guarded({
      minCalls: 1,
      failureRate: 0.5,
      probes: { count: 4, rate: 0.5 },
      openFor: '10s',
    });
    await judged.dep.settle(bad);
    await judged.clock.advanceTo(10_000);
    for (const work of [bad, good, good]) {
      await judged.dep.settle(work);
      expect(judged.dep.breaker.state).toBe('half-open');
    }
    await judged.dep.settle(good);
    expect(judged.dep.breaker.state).toBe('closed');
  }, 30_000);

  test('C-009 is entered once by two callers in the same turn', async () => {
    const { clock, dep, of } = guarded(opensAtOnce);
    await dep.settle(bad);
    await clock.advanceTo(10_000);
    const upstream = new Held();
    const calls = [dep.settle(upstream.work), dep.settle(upstream.work)];
    await clock.advance(0);
    expect(of('breaker.transition').filter(({ to }) => to === 'half-open')).toHaveLength(1);
    expect(upstream.calls).toHaveLength(1);
    upstream.succeed(0);
    expect(codesOf(await Promise.all(calls)).sort()).toEqual(['ERR_BREAKER_OPEN', 'ok']);
  }, 30_000);
});
