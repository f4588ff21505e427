import { describe, expect, it } from '@jest/globals';
import { GateBench } from './support/gate-bench.js';

describe('a fixed limit without a queue', () => {
  it('lets in as many as it says and refuses the rest at once', () => {
    const bench = new GateBench({ limit: 2 });
    expect(['a', 'b', 'c'].map((name) => bench.guest(name).verdict)).toEqual([
      'admitted',
      'admitted',
      'refused',
    ]);
    expect(bench.log).toEqual(['c refused: limit']);
    expect(bench.gate.snapshot()).toMatchObject({ inFlight: 2, admitted: 2, refused: { limit: 1 } });
  });

  it('has room again as soon as somebody leaves, and nobody leaves twice', () => {
    const bench = new GateBench({ limit: 2 });
    const a = bench.guest('a');
    bench.guest('b');
    for (const end of ['success', 'dropped', 'ignored'] as const) bench.leave(a, end);
    expect(bench.state.inFlight).toBe(1);
    expect(bench.guest('c').verdict).toBe('admitted');
    expect(bench.guest('d').verdict).toBe('refused');
  });

  it('is never left by somebody who was not let in', () => {
    const bench = new GateBench({ limit: 1 });
    bench.guest('a');
    bench.leave(bench.guest('b'));
    expect(bench.state.inFlight).toBe(1);
  });
});

describe('the queue', () => {
  it('is bounded, and lets in the first to come when there is room', () => {
    const bench = new GateBench({ limit: 1, queue: { size: 2 } });
    const a = bench.guest('a');
    const [b, c, d] = ['b', 'c', 'd'].map((name) => bench.guest(name));
    expect([b?.verdict, c?.verdict, d?.verdict]).toEqual(['queued', 'queued', 'refused']);
    bench.leave(a);
    expect(bench.log).toEqual(['d refused: queue', 'b admitted']);
    expect(bench.state).toMatchObject({ inFlight: 1, queued: 1 });
    expect(bench.clock.pending).toBe(1);
  });

  it('serves the newest first when told so', () => {
    const bench = new GateBench({ limit: 1, queue: { size: 3, order: 'lifo' } });
    const a = bench.guest('a');
    for (const name of ['b', 'c', 'd']) bench.guest(name);
    bench.leave(a);
    expect(bench.log).toEqual(['d admitted']);
  });

  it('turns to the newest first only while it is crowded, when adaptive', () => {
    const bench = new GateBench({ limit: 1, queue: { size: 5, order: 'adaptive' } });
    let inside = bench.guest('a');
    const waiting = ['b', 'c', 'd', 'e', 'f'].map((name) => bench.guest(name));
    bench.leave(inside);
    expect(bench.log).toEqual(['f admitted']);
    inside = waiting[4] as typeof inside;
    bench.leave(inside);
    expect(bench.log).toEqual(['f admitted', 'b admitted']);
  });

  it('is not overtaken by a newcomer of the same class', () => {
    const bench = new GateBench({ limit: 1, queue: { size: 5 } });
    const a = bench.guest('a');
    bench.guest('b');
    bench.leave(a);
    expect(bench.guest('c').verdict).toBe('queued');
    expect(bench.log).toEqual(['b admitted']);
  });

  it('refuses who has waited as long as is allowed', async () => {
    const bench = new GateBench({ limit: 1, queue: { size: 5, waitMs: 100 } });
    bench.guest('a');
    bench.guest('b');
    await bench.clock.advance(99);
    expect(bench.log).toEqual([]);
    await bench.clock.advance(1);
    expect(bench.log).toEqual(['b refused: queue']);
    expect(bench.state.queued).toBe(0);
  });

  it('refuses whoever runs out of time while waiting', async () => {
    const bench = new GateBench({ limit: 1, queue: { size: 5, waitMs: 500 } });
    bench.guest('a');
    bench.guest('b', 'critical', 60);
    await bench.clock.advance(60);
    expect(bench.log).toEqual(['b refused: deadline']);
  });

  it('refuses at once whose time left cannot cover the wait', async () => {
    const bench = new GateBench({ limit: 1, queue: { size: 9, waitMs: 5000 } });
    let inside = bench.guest('a');
    const waiting = Array.from({ length: 6 }, (_, i) => bench.guest(`w${i}`));
    // one leaves every 100 ms: the gate learns how fast its queue moves
    for (const next of waiting.slice(0, 3)) {
      await bench.clock.advance(100);
      bench.leave(inside);
      inside = next;
    }
    bench.log.length = 0;
    expect(bench.guest('patient', 'critical', 10_000).verdict).toBe('queued');
    expect(bench.guest('hurried', 'critical', 5).verdict).toBe('refused');
    expect(bench.log).toEqual(['hurried refused: deadline']);
  });

  it('lets go of somebody who withdraws', async () => {
    const bench = new GateBench({ limit: 1, queue: { size: 5 } });
    const a = bench.guest('a');
    const b = bench.guest('b');
    bench.guest('c');
    bench.gate.withdraw(b);
    bench.leave(a);
    await bench.clock.advance(1000);
    expect(bench.log).toEqual(['c admitted']);
    expect(bench.clock.pending).toBe(0);
  });

  it('is emptied with refusals when the server drains', () => {
    const bench = new GateBench({ limit: 1, queue: { size: 5 } });
    bench.guest('a');
    bench.guest('b');
    bench.guest('c', 'sheddable');
    bench.gate.clear('draining');
    expect(bench.log).toEqual(['b refused: draining', 'c refused: draining']);
    expect(bench.state).toMatchObject({ inFlight: 1, queued: 0 });
    expect(bench.clock.pending).toBe(0);
  });

  it('drops who waited too long while all do, when adaptive', async () => {
    const bench = new GateBench({ limit: 1, queue: { size: 100, order: 'adaptive', waitMs: 5000 } });
    let inside = bench.guest('first');
    const waiting = Array.from({ length: 20 }, (_, i) => bench.guest(`w${i}`));
    await bench.clock.advance(600);
    for (let i = 0; i < 12; i++) {
      await bench.clock.advance(20);
      const before = bench.log.length;
      bench.leave(inside);
      const admitted = bench.log.slice(before).find((line) => line.endsWith('admitted'));
      inside = waiting.find(({ name }) => admitted === `${name} admitted`) ?? inside;
    }
    expect(bench.log.some((line) => line.endsWith('refused: codel'))).toBe(true);
    // each of them was either let in or refused, or still waits
    expect(bench.log.length + bench.state.queued).toBe(20);
  });
});

describe('classes of criticality', () => {
  it('wait in order of their rank', () => {
    const bench = new GateBench({ limit: 1, queue: { size: 9 } });
    let inside = bench.guest('first');
    const names = ['sheddable', 'sheddable_plus', 'critical', 'critical_plus'] as const;
    const guests = names.map((name) => bench.guest(name, name));
    for (let i = 0; i < 4; i++) {
      bench.leave(inside);
      const last = bench.log.at(-1) ?? '';
      inside = guests.find(({ name }) => last === `${name} admitted`) ?? inside;
    }
    expect(bench.log).toEqual([
      'critical_plus admitted',
      'critical admitted',
      'sheddable_plus admitted',
      'sheddable admitted',
    ]);
  });

  it('a full queue gives up its least critical place to a more critical newcomer', () => {
    const bench = new GateBench({ limit: 1, queue: { size: 2 } });
    bench.guest('a');
    bench.guest('low', 'sheddable');
    bench.guest('mid', 'sheddable_plus');
    expect(bench.guest('high').verdict).toBe('queued');
    expect(bench.guest('lower', 'sheddable').verdict).toBe('refused');
    expect(bench.log).toEqual(['low refused: queue', 'lower refused: queue']);
  });

  it('the critical may use what the sheddable may not', () => {
    const bench = new GateBench({ limit: 10 });
    const count = (priority: 'sheddable' | 'sheddable_plus' | 'critical') => {
      let admitted = 0;
      while (bench.guest('x', priority).verdict === 'admitted') admitted++;
      return admitted;
    };
    expect([count('sheddable'), count('sheddable_plus'), count('critical')]).toEqual([8, 1, 1]);
  });

  it('a guaranteed share is there even when others fill the limit', () => {
    const bench = new GateBench({ limit: 10, shares: { sheddable: 0.2, critical: 0.5 } });
    for (let i = 0; i < 10; i++) bench.guest(`c${i}`);
    const shares = ['s0', 's1', 's2'].map((name) => bench.guest(name, 'sheddable').verdict);
    expect(shares).toEqual(['admitted', 'admitted', 'refused']);
    expect(bench.guest('c').verdict).toBe('refused');
  });

  it('count in the class their route gives them', () => {
    const bench = new GateBench({ limit: 10 });
    const guest = bench.guest('a');
    bench.gate.reclassify(guest, 0);
    expect(bench.gate.snapshot().inFlightByPriority).toMatchObject({ critical: 0, sheddable: 1 });
    bench.leave(guest);
    expect(bench.gate.snapshot().inFlightByPriority).toMatchObject({ critical: 0, sheddable: 0 });
  });
});

describe('those who wait', () => {
  it('go on waiting under the class that they are moved to', () => {
    const bench = new GateBench({ limit: 1, queue: { size: 5 } });
    const a = bench.guest('a');
    const [b, c] = [bench.guest('b'), bench.guest('c')];
    bench.gate.reclassify(c, 3);
    expect(bench.state).toMatchObject({ inFlight: 1, queued: 2 });
    bench.leave(a);
    expect(bench.log).toEqual(['c admitted']);
    bench.gate.reclassify(b, 0);
    bench.gate.withdraw(b);
    expect([b.place, bench.state.queued]).toEqual(['left', 0]);
    bench.leave(c);
    expect(bench.state).toMatchObject({ inFlight: 0, queued: 0 });
  });

  it('come in when their gate is given up for a new one', () => {
    const bench = new GateBench({ limit: 1, queue: { size: 5 } });
    for (const name of ['a', 'b', 'c']) bench.guest(name);
    bench.gate.open();
    expect(bench.log).toEqual(['b admitted', 'c admitted']);
    expect(bench.state).toMatchObject({ inFlight: 3, queued: 0 });
  });
});

describe('observing', () => {
  it('lets everybody in and says who would have been refused', () => {
    const bench = new GateBench({ limit: 1, mode: 'observe', queue: { size: 5 } });
    const guests = ['a', 'b', 'c'].map((name) => bench.guest(name));
    expect(guests.map(({ verdict }) => verdict)).toEqual(['admitted', 'admitted', 'admitted']);
    expect(bench.log).toEqual(['b pardoned: limit', 'c pardoned: limit']);
    for (const guest of guests) bench.leave(guest);
    expect(bench.state.inFlight).toBe(0);
  });

  it('learns nothing from those it would have refused', () => {
    const limit = { kind: 'aimd', initial: 2, min: 1, max: 9, backoffRatio: 0.5, timeoutMs: 5000 } as const;
    const bench = new GateBench({ limit, mode: 'observe' });
    const guests = ['a', 'b', 'c', 'd'].map((name) => bench.guest(name));
    for (const guest of guests.slice(2)) bench.leave(guest, 'dropped');
    expect(bench.state.limit).toBe(2);
    bench.leave(guests[0] as (typeof guests)[0], 'dropped');
    expect(bench.state.limit).toBe(1);
  });
});

describe('Retry-After of a refusal', () => {
  it('grows with the share of those who are refused, and is spread by at most a tenth', () => {
    const seen = [0, 0.999].map((chance) => {
      const bench = new GateBench({ limit: 1, random: () => chance });
      bench.guest('a');
      return Array.from({ length: 9 }, (_, i) => bench.guest(`r${i}`).retryAfterMs ?? 0);
    });
    const [bare = [], spread = []] = seen;
    expect(bare[0]).toBe(1000);
    expect(bare[8]).toBe(5000);
    expect(spread.every((ms, i) => ms >= (bare[i] ?? 0) && ms <= 1.1 * (bare[i] ?? 0))).toBe(true);
  });

  it('is at most half a minute, however many are refused', () => {
    const bench = new GateBench({ limit: 1 });
    bench.guest('a');
    for (let i = 0; i < 500; i++) bench.guest('r');
    expect(bench.guest('last').retryAfterMs).toBe(30_000);
  });

  it('forgets what was long ago', async () => {
    const bench = new GateBench({ limit: 1 });
    const a = bench.guest('a');
    for (let i = 0; i < 50; i++) bench.guest('r');
    bench.leave(a);
    await bench.clock.advance(10_000);
    bench.guest('b');
    expect(bench.guest('c').retryAfterMs).toBe(1000);
  });
});

describe.each([
  [{ kind: 'aimd', initial: 16, min: 1, max: 50, backoffRatio: 0.5, timeoutMs: 1000 } as const],
  [{ kind: 'vegas', initial: 16, min: 1, max: 50, smoothing: 1 } as const],
  [{ kind: 'gradient', initial: 16, min: 1, max: 50, smoothing: 0.2, tolerance: 1.5 } as const],
])('the limit %j', (limit) => {
  it('admits up to its present value', () => {
    const bench = new GateBench({ limit });
    const verdicts = Array.from({ length: 17 }, () => bench.guest('x').verdict);
    expect(verdicts.filter((verdict) => verdict === 'admitted')).toHaveLength(16);
    expect(verdicts[16]).toBe('refused');
  });

  it('learns from answers and drops, and from nothing else', async () => {
    const bench = new GateBench({ limit });
    bench.leave(bench.guest('x'), 'ignored');
    expect(bench.state.limit).toBe(16);
    for (let i = 0; i < 60; i++) {
      const guests = Array.from({ length: 16 }, () => bench.guest('x'));
      await bench.clock.advance(100);
      for (const guest of guests) bench.leave(guest, 'dropped');
    }
    expect(bench.state.limit).toBeLessThan(16);
    expect(bench.state.limit).toBeGreaterThanOrEqual(1);
  });
});
