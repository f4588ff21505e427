import { describe, expect, test } from '@jest/globals';
import { rig } from '../support/rig.js';

const BREAKER = { retry: false, breaker: { consecutive: 1, openFor: '5s', jitter: 0, probes: 1 } } as const;

describe('the timeline', () => {
  test('tells each transition once, at its instant, while somebody listens', async () => {
    const { clock, call, aggregator, snapshot, ticks } = rig(BREAKER);
    const start = clock.wall();
    aggregator.listen(true);
    await clock.advance(250);
    void call(0, true);
    await clock.advance(6000);
    void call(0);
    await clock.advance(1000);
    const moments = snapshot().timeline;
    expect(moments.map(({ from, to, openMs }) => [from, to, openMs])).toEqual([
      ['closed', 'open', 5000],
      ['open', 'half-open', undefined],
      ['half-open', 'closed', undefined],
    ]);
    expect((moments[0]?.at as number) - start).toBe(250);
    expect(ticks.flatMap(({ timeline = [] }) => timeline)).toEqual(moments);
  });

  test('tells since when a breaker is in its state', async () => {
    const { clock, call, row } = rig(BREAKER);
    const start = clock.wall();
    await clock.advance(1000);
    expect(row().breaker?.since).toBeUndefined();
    await clock.advance(500);
    void call(0, true);
    await clock.advance(2500);
    expect(row().breaker).toMatchObject({ state: 'open', since: start + 2000 });
  });

  test('finds transitions that nobody listened to', async () => {
    const { clock, call, snapshot } = rig(BREAKER);
    void call(0, true);
    await clock.advance(6000);
    void call(0);
    await clock.advance(1000);
    expect(snapshot().timeline.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'closed open',
      'open half-open',
      'half-open closed',
    ]);
  });

  test('tells when faults come and go', async () => {
    const { clock, spillway, snapshot } = rig();
    spillway.dependency('quotes').inject({ status: 500, until: '2500ms' });
    await clock.advance(4000);
    expect(snapshot().timeline.map(({ kind, text }) => [kind, text])).toEqual([
      ['fault', 'a fault was injected'],
      ['fault', 'an injected fault is gone'],
    ]);
  });

  test('repeats nothing of a snapshot in the tick after it', async () => {
    const { clock, aggregator, snapshot, ticks } = rig();
    await clock.advance(1000);
    aggregator.note({ dependency: 'quotes', kind: 'control', text: 'reset the breaker' });
    expect(snapshot().timeline).toEqual([]);
    await clock.advance(1000);
    expect(ticks.at(-1)?.timeline).toHaveLength(1);
    expect(snapshot().timeline).toEqual([
      expect.objectContaining({ kind: 'control', at: clock.wall() - 1000 }),
    ]);
    await clock.advance(1000);
    expect(ticks.at(-1)?.timeline).toBeUndefined();
  });

  test('of a storm keeps the last ones, and a bounded number of them', async () => {
    const { clock, spillway, aggregator, snapshot, ticks } = rig();
    aggregator.listen(true);
    const { breaker } = spillway.dependency('quotes');
    for (let tick = 0; tick < 10; tick++) {
      for (let n = 0; n < 100; n++) {
        breaker.forceOpen();
        breaker.forceClose();
      }
      await clock.advance(1000);
    }
    expect(snapshot().timeline).toHaveLength(200);
    expect(ticks.at(-1)?.timeline).toHaveLength(50);
    expect(snapshot().timeline.at(-1)).toMatchObject({ to: 'closed' });
  });

  test('forgets breakers that are evicted', async () => {
    const { clock, call, spillway, aggregator, snapshot } = rig({
      breaker: { scope: ({ operation }) => operation, maxKeys: 1 },
    });
    aggregator.listen(true);
    const { breaker } = spillway.dependency('quotes');
    breaker('old').forceOpen();
    await clock.advance(1000);
    breaker('old').forceClose();
    breaker('new').forceClose();
    void call(0);
    await clock.advance(1000);
    breaker('old').forceOpen();
    await clock.advance(1000);
    const told = snapshot().timeline.filter(({ key, to }) => key === 'old' && to === 'forced-open');
    expect(told).toHaveLength(2);
  });
});
