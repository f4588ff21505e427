import { describe, expect, test } from '@jest/globals';
import { rig } from '../support/rig.js';

describe('the row of a dependency', () => {
  test('tells operations and attempts of the last tick per second, and shares of the last minute', async () => {
    const { clock, call, row, ticks } = rig({
      retry: { attempts: 2, backoff: { base: 0, jitter: 'none' } },
      breaker: false,
    });
    for (let n = 0; n < 8; n++) void call(10);
    for (let n = 0; n < 2; n++) void call(10, true);
    await clock.advance(1000);
    expect(row()).toMatchObject({ operations: 10, attempts: 12, failed: 2, amplification: 1.2 });
    expect(row().outcomes).toEqual({ success: 8, degraded: 0, failed: 2, refused: 0, cancelled: 0 });
    await clock.advance(1000);
    expect(row()).toMatchObject({ operations: 0, attempts: 0, failed: 0, amplification: 1.2 });
    await clock.advance(58_000);
    expect(row().outcomes).toMatchObject({ success: 8, failed: 2 });
    await clock.advance(1000);
    expect(row()).toMatchObject({ amplification: null, outcomes: { success: 0, failed: 0 } });
    expect(ticks).toHaveLength(61);
  });

  test('tells quantiles of the last ten ticks, while somebody listens', async () => {
    const { clock, call, row, aggregator } = rig({ retry: false, bulkhead: false });
    for (let n = 0; n < 10; n++) void call(20);
    await clock.advance(1000);
    expect(row()).toMatchObject({ p50: null, p99: null });
    aggregator.listen(true);
    for (let n = 0; n < 99; n++) void call(20);
    for (let n = 0; n < 2; n++) void call(400);
    await clock.advance(1000);
    expect(row().p50).toBeGreaterThan(19);
    expect(row().p50).toBeLessThan(21.1);
    expect(row().p99).toBeGreaterThan(380);
    await clock.advance(9000);
    expect(row().p50).not.toBeNull();
    await clock.advance(1000);
    expect(row().p50).toBeNull();
  });

  test('names why operations were refused or given up', async () => {
    const { clock, call, row, aggregator, spillway } = rig({
      retry: { attempts: 2, backoff: { base: 0, jitter: 'none' } },
      breaker: { consecutive: 2, openFor: '1m', jitter: 0 },
      bulkhead: { concurrent: 1, queue: 0 },
    });
    aggregator.listen(true);
    void call(0, true);
    await clock.advance(10);
    for (let n = 0; n < 3; n++) void call(0);
    await clock.advance(990);
    expect(row().refusals).toEqual({ ERR_BREAKER_OPEN: 3, 'stopped-attempts': 1 });
    spillway.dependency('quotes').breaker.forceClose();
    void call(500);
    void call(0);
    await clock.advance(1000);
    expect(row().refusals).toMatchObject({ ERR_BULKHEAD_FULL: 1 });
    await clock.advance(61_000);
    expect(row().refusals).toEqual({});
  });

  test('tells breaker, budget, slots and faults as they stand', async () => {
    const { clock, call, row, spillway } = rig({
      breaker: { consecutive: 1, openFor: '5s', jitter: 0 },
      retry: false,
    });
    expect(row().breaker).toMatchObject({ state: 'closed', notClosed: 0 });
    expect(rig({ breaker: false }).row().breaker).toBeNull();
    void call(300, true);
    void call(2000);
    const fault = spillway.dependency('quotes').inject({ status: 500, share: 0.5, until: '1h' });
    await clock.advance(1000);
    const { breaker, slots, budget, faults, inFlight } = row();
    expect(breaker).toMatchObject({ state: 'open', mode: 'enforce', keys: 1, notClosed: 1 });
    const opensAfter = (breaker?.opensUntil as number) - clock.wall();
    expect(opensAfter).toBeGreaterThanOrEqual(4000);
    expect(opensAfter).toBeLessThanOrEqual(4300);
    expect(slots).toEqual({ inUse: 1, queued: 0, detached: 0, limit: 50 });
    expect([budget, inFlight]).toEqual([null, 1]);
    expect(faults).toEqual([
      expect.objectContaining({
        kind: 'status',
        share: 0.5,
        status: 500,
        until: clock.wall() - 1000 + 3_600_000,
      }),
    ]);
    fault.undo();
    await clock.advance(5000);
    expect(row().breaker).toMatchObject({ state: 'half-open' });
    expect(row().breaker?.opensUntil).toBeUndefined();
    expect(row().faults).toEqual([]);
  });

  test('of several breakers shows the worst', async () => {
    const { clock, spillway, row } = rig({ breaker: { scope: ({ operation }) => operation } });
    const { breaker } = spillway.dependency('quotes');
    for (const key of ['a', 'b', 'c']) breaker(key).forceClose();
    breaker('b').forceOpen();
    await clock.advance(1000);
    expect(row().breaker).toMatchObject({ state: 'forced-open', keys: 3, notClosed: 1 });
  });

  test('survives counts that start anew', async () => {
    const { clock, call, row, spillway } = rig();
    for (let n = 0; n < 5; n++) void call(0);
    await clock.advance(1000);
    spillway.reset();
    await clock.advance(1000);
    expect(row()).toMatchObject({ operations: 0, attempts: 0, outcomes: { success: 5 } });
  });
});
