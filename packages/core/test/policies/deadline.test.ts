import { describe, expect, test } from '@jest/globals';
import { Call } from '../../src/index.js';
import { errorOf, hang, single } from '../cases/support/single.js';
import { own } from './own-operation.js';

describe('an operation that starts when its time is up', () => {
  test.each([0, -1])('is refused before its bulkhead or breaker is asked: %i ms left', async (leftMs) => {
    const { clock, dep, of, now } = single({ bulkhead: { concurrent: 1, queue: 0 }, deadline: '60s' });
    await clock.advance(5);
    void dep.settle(hang);
    dep.breaker.forceOpen();
    const parent = new Call(clock, undefined, 5 + leftMs);
    let works = 0;
    const options = { parent };
    const ends = [dep.settle(() => ++works, options), dep.run(own(() => ++works, { options }))];
    for (const end of ends) {
      expect(errorOf(await end)).toMatchObject({
        code: 'ERR_DEADLINE_EXCEEDED',
        status: 504,
        sent: 'no',
        attempts: 0,
      });
    }
    expect([works, of('breaker.refused'), of('bulkhead.refused'), of('retry.stopped')]).toEqual([
      0,
      [],
      [],
      [],
    ]);
    expect(of('operation.end')).toMatchObject([{ outcome: 'refused' }, { outcome: 'refused' }]);
    expect([parent.listenerCount, now().attempts]).toEqual([0, 1]);
  });

  test('may be answered by its fallback', async () => {
    const { clock, dep } = single({ fallback: () => 'mended' });
    const parent = new Call(clock, undefined, 0);
    expect(await dep.settle(hang, { idempotent: true, parent })).toMatchObject({ ok: true, value: 'mended' });
  });
});

test('an operation that has any time left starts', async () => {
  const { clock, dep } = single({});
  expect(await dep.settle(() => 'fine', { parent: new Call(clock, undefined, 0.5) })).toMatchObject({
    ok: true,
  });
});
