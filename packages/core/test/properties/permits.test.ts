import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PermitEnd } from '../../src/algorithms/permit.js';
import { GateBench, type TestGuest } from '../inbound/support/gate-bench.js';
import { RUNS } from '../runs.js';

const PRIORITIES = ['critical_plus', 'critical', 'sheddable_plus', 'sheddable'] as const;

const set = fc.record({
  limit: fc.integer({ min: 1, max: 4 }),
  size: fc.nat(4),
  order: fc.constantFrom('fifo', 'lifo', 'adaptive'),
  observe: fc.constantFrom(false, false, false, true),
});

const act = fc.record({
  what: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'leave', 'withdraw', 'wait', 'turn'),
  which: fc.nat(9),
  end: fc.constantFrom<PermitEnd>('success', 'ignored', 'dropped'),
  priority: fc.constantFrom(...PRIORITIES),
  patienceMs: fc.constantFrom(5, 80, Number.POSITIVE_INFINITY),
  ms: fc.constantFrom(1, 10, 60, 600),
});

describe('the gate', () => {
  test('lets nobody in beyond its limit, and ends what it let in exactly once, however it ends', () => {
    const counts = { runs: 0, waited: 0, twice: 0 };
    fc.assert(
      fc.property(set, fc.array(act, { minLength: 5, maxLength: 60, size: 'max' }), (options, acts) => {
        const { limit, size, order, observe } = options;
        const mode = observe ? 'observe' : 'enforce';
        const bench = new GateBench({ limit, queue: { size, order, waitMs: 50 }, mode });
        const guests: TestGuest[] = [];
        let inside = 0;
        for (const { what, which, end, priority, patienceMs, ms } of acts) {
          const guest = guests.at(-1 - (which % Math.max(1, guests.length)));
          if (what === 'enter') guests.push(bench.guest(`${guests.length}`, priority, patienceMs));
          else if (what === 'wait') bench.clock.tick(ms);
          else if (what === 'turn') bench.turn();
          else if (guest !== undefined && what === 'withdraw') bench.gate.withdraw(guest);
          else if (guest !== undefined) {
            if (guest.place === 'left') counts.twice++;
            bench.leave(guest, end);
          }
          inside = guests.filter(({ place }) => place === 'inside').length;
          const { inFlight, queued } = bench.state;
          if (inFlight !== inside || (inFlight > limit && !observe) || queued > size)
            expect({ inFlight, queued }).toEqual({ inFlight: inside, limit, size });
        }
        if (guests.some(({ verdict, place }) => verdict === 'queued' && place === 'inside')) counts.waited++;
        for (const guest of guests) bench.leave(guest);
        bench.clock.tick(10_000);
        for (const guest of guests) bench.leave(guest);
        const { inFlight, queued } = bench.state;
        expect([inFlight, queued, bench.clock.pending]).toEqual([0, 0, 0]);
        counts.runs++;
      }),
      RUNS,
    );
    expect(counts.twice).toBeGreaterThan(counts.runs);
    expect(counts.waited).toBeGreaterThan(counts.runs / 20);
  });
});
