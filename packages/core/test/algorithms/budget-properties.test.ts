import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RUNS } from '../runs.js';
import { budget } from './budget-set-up.js';

describe('the invariant', () => {
  interface Entry {
    readonly at: number;
    readonly key: string | undefined;
  }

  const step = fc.record({
    afterMs: fc.oneof(fc.nat(3), fc.nat(60), fc.constantFrom(0, 10, 100, 250)),
    act: fc.constantFrom('start', 'start', 'grant', 'grant', 'grant', 'back'),
    key: fc.constantFrom(undefined, 'a', 'b', 'c'),
    which: fc.nat(20),
  });
  const shape = fc.record({
    ratio: fc.constantFrom(0, 0.1, 0.2, 1 / 3, 0.75, 1, 2.5),
    windowMs: fc.constantFrom(100, 97, 10),
    minPerSecond: fc.constantFrom(0, 7, 10, 33),
    keyed: fc.boolean(),
    maxKeys: fc.constantFrom(2, 100),
  });

  test('at every grant, those in the trailing window are at most ratio x operations in it + floor', () => {
    fc.assert(
      fc.property(shape, fc.array(step, { maxLength: 150 }), ({ keyed, ...options }, steps) => {
        const one = budget({ ...options, key: keyed });
        const floor = (options.minPerSecond * options.windowMs) / 1000;
        const operations: Entry[] = [];
        let granted: Entry[] = [];
        let now = 0;
        const trailing = (entries: Entry[]) => entries.filter(({ at }) => at > now - options.windowMs).length;
        for (const { afterMs, act, key, which } of steps) {
          now += afterMs;
          if (act === 'start') {
            one.operationStarted(now, key);
            operations.push({ at: now, key });
          } else if (act === 'grant') {
            if (!one.tryGrant(now, key)) continue;
            granted.push({ at: now, key });
            expect(trailing(granted)).toBeLessThanOrEqual(options.ratio * trailing(operations) + floor);
          } else {
            const back = granted[which % Math.max(1, granted.length)];
            if (back === undefined) continue;
            one.giveBack(back.at, now, back.key);
            granted = granted.filter((other) => other !== back);
          }
          expect(one.view(now).retrying).toBe(granted.length);
        }
      }),
      RUNS,
    );
  });

  test('without keys, what the window allows even with a bucket less is granted', () => {
    fc.assert(
      fc.property(shape, fc.array(step, { maxLength: 150 }), (options, steps) => {
        const one = budget({ ...options, key: false });
        const floor = (options.minPerSecond * options.windowMs) / 1000;
        const slack = options.windowMs / 10;
        const operations: number[] = [];
        const granted: number[] = [];
        let now = 0;
        for (const { afterMs, act } of steps) {
          now += afterMs;
          if (act === 'start') {
            one.operationStarted(now);
            operations.push(now);
          } else {
            const sure = operations.filter((at) => at > now - options.windowMs + slack).length;
            const most = granted.filter((at) => at > now - options.windowMs - slack).length;
            const may = most + 1 <= options.ratio * sure + floor;
            const did = one.tryGrant(now);
            if (did) granted.push(now);
            if (may) expect(did).toBe(true);
          }
          expect(one.view(now).granted).toBeLessThanOrEqual(granted.length);
        }
      }),
      RUNS,
    );
  });

  test('no key gets more than its own part and the whole floor', () => {
    fc.assert(
      fc.property(shape, fc.array(step, { maxLength: 150 }), ({ keyed: _, ...options }, steps) => {
        const one = budget({ ...options, key: true, maxKeys: 100 });
        const floor = (options.minPerSecond * options.windowMs) / 1000;
        const operations: Entry[] = [];
        const granted: Entry[] = [];
        let now = 0;
        const trailing = (entries: Entry[], key: string | undefined) =>
          entries.filter((entry) => entry.key === key && entry.at > now - options.windowMs).length;
        for (const { afterMs, act, key } of steps) {
          now += afterMs;
          if (act === 'start') {
            one.operationStarted(now, key);
            operations.push({ at: now, key });
          } else if (one.tryGrant(now, key)) {
            granted.push({ at: now, key });
            expect(trailing(granted, key)).toBeLessThanOrEqual(
              options.ratio * trailing(operations, key) + floor,
            );
          }
          expect(operations.length).toBeGreaterThanOrEqual(one.view(now).operations);
        }
      }),
      RUNS,
    );
  });
});
