import { describe, expect, test } from '@jest/globals';
import type { Series } from '../../src/messages.js';
import { rig } from '../support/rig.js';

describe('the aggregator', () => {
  test('looks from the start, so that charts begin in the past', async () => {
    const { clock, call, snapshot, aggregator } = rig({
      breaker: { consecutive: 1, openFor: '1s', jitter: 0 },
    });
    void call(0);
    await clock.advance(2000);
    void call(0, true);
    await clock.advance(1000);
    expect(aggregator.listening).toBe(false);
    const { series } = snapshot().dependencies['quotes'] as { series: Series };
    expect(series).toMatchObject({ operations: [1, 0, 1], open: [0, 0, 1] });
    expect(series.at.map((at) => at - snapshot().at)).toEqual([-2000, -1000, 0]);
  });

  test('keeps so much and no more', async () => {
    const { clock, snapshot } = rig();
    await clock.advance(90_000);
    expect(snapshot().dependencies['quotes']?.series.at).toHaveLength(60);
    expect(snapshot().inbound.series.at).toHaveLength(60);
  });

  test('says who it is', () => {
    const [one, other] = [rig(), rig()].map(({ snapshot }) => snapshot().instance);
    expect(one).toMatchObject({
      pid: process.pid,
      service: 'shop',
      id: expect.stringMatching(/^[0-9a-f]{6}$/),
    });
    expect(other?.id).not.toBe(one?.id);
  });

  test('tells in a tick only what has changed', async () => {
    const { clock, call, ticks } = rig();
    await clock.advance(2000);
    void call(0);
    await clock.advance(3000);
    expect(ticks.map(({ rows }) => Object.keys(rows))).toEqual([['quotes'], [], ['quotes'], ['quotes'], []]);
    expect(ticks.map(({ inbound }) => inbound === undefined)).toEqual([false, true, true, true, true]);
    expect(ticks.map(({ at }, n) => at - (ticks[0]?.at as number) - n * 1000)).toEqual([0, 0, 0, 0, 0]);
  });

  test('puts its state into words once a tick', async () => {
    const { clock, aggregator } = rig();
    const first = aggregator.snapshot();
    expect(aggregator.snapshot()).toBe(first);
    await clock.advance(1000);
    expect(aggregator.snapshot()).not.toBe(first);
  });

  test('puts nothing into words for nobody', async () => {
    const { clock, spillway } = rig();
    let asked = 0;
    const { Aggregator } = await import('../../src/state/aggregator.js');
    const aggregator = new Aggregator(spillway, 1000, 60_000);
    aggregator.start(() => {
      asked++;
    });
    await clock.advance(5000);
    expect(asked).toBe(5);
    aggregator.stop();
    await clock.advance(5000);
    expect(asked).toBe(5);
  });

  test('hears events only while it listens', () => {
    const { aggregator, spillway } = rig();
    expect(spillway.events.enabled).toBe(false);
    aggregator.listen(true);
    aggregator.listen(true);
    expect(spillway.events.enabled).toBe(true);
    aggregator.listen(false);
    aggregator.listen(false);
    expect(spillway.events.enabled).toBe(false);
  });

  test('stops with no timer left', () => {
    const { aggregator, clock, spillway } = rig();
    aggregator.listen(true);
    aggregator.stop();
    expect(clock.pending).toBe(0);
    expect(spillway.events.enabled).toBe(false);
  });
});
