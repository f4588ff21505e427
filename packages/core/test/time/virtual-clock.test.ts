import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { after, type Timer } from '../../src/time/clock.js';
import { nextTurn } from '../../src/time/system-clock.js';
import { VirtualClock } from '../../src/time/virtual-clock.js';

function log(clock: VirtualClock, lines: string[], name: string): () => void {
  return () => lines.push(`${clock.now()} ${name}`);
}

describe('reading', () => {
  test('time starts at 0, on 1 January 2026', () => {
    const clock = new VirtualClock();
    expect(clock.now()).toBe(0);
    expect(new Date(clock.wall()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  test('both can start elsewhere', () => {
    const clock = new VirtualClock({ start: 500, wall: 10_000 });
    expect(clock.now()).toBe(500);
    expect(clock.wall()).toBe(10_500);
  });

  test('the wall clock goes with time and can be shifted without it', async () => {
    const clock = new VirtualClock({ wall: 0 });
    await clock.advance(1000);
    clock.shiftWall(-3_600_000);
    expect(clock.now()).toBe(1000);
    expect(clock.wall()).toBe(1000 - 3_600_000);
  });

  test('time stands still until it is told to move', async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    after(clock, 0, log(clock, lines, 'now'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines).toEqual([]);
    expect(clock.pending).toBe(1);
  });
});

describe('advancing', () => {
  test('timers fire at their own instants, in order, ties by arming, and time ends at the target', async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    after(clock, 30, log(clock, lines, 'a'));
    after(clock, 10, log(clock, lines, 'b'));
    after(clock, 30, log(clock, lines, 'c'));
    after(clock, 31, log(clock, lines, 'd'));
    await clock.advance(30);
    expect(lines).toEqual(['10 b', '30 a', '30 c']);
    expect(clock.now()).toBe(30);
    expect(clock.pending).toBe(1);
  });

  test('a timer armed on the way fires in the same advance when it comes due, one of 0 ms at once', async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    after(clock, 10, () => {
      after(clock, 0, log(clock, lines, 'zero'));
      after(clock, 5, log(clock, lines, 'five'));
      after(clock, 50, log(clock, lines, 'late'));
    });
    await clock.advance(20);
    expect(lines).toEqual(['10 zero', '15 five']);
  });

  test.each(['turns', 'promises'] as const)('promise chains run between timers (%s)', async (between) => {
    const clock = new VirtualClock({ between });
    const lines: string[] = [];
    const sleep = (ms: number) => new Promise<void>((resolve) => after(clock, ms, resolve));
    const chain = async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(10);
        for (let j = 0; j < 20; j++) await null;
        lines.push(`${clock.now()} chain`);
      }
    };
    const done = chain();
    after(clock, 25, log(clock, lines, 'timer'));
    await clock.advance(100);
    await done;
    expect(lines).toEqual(['10 chain', '20 chain', '25 timer', '30 chain']);
  });

  test.each([
    ['turns', ['10 I/O', '20 timer']],
    ['promises', ['20 timer', '30 I/O']],
  ] as const)('I/O gets its chance between timers by turns alone (%s)', async (between, wanted) => {
    const clock = new VirtualClock({ between });
    const lines: string[] = [];
    after(clock, 10, () => setImmediate(log(clock, lines, 'I/O')));
    after(clock, 20, log(clock, lines, 'timer'));
    await clock.advance(30);
    await nextTurn();
    expect(lines).toEqual(wanted);
  });

  test('chains that were under way before the first timer come first', async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const timer = after(clock, 10, log(clock, lines, 'never'));
    setImmediate(() => clock.disarm(timer));
    await clock.advance(10);
    expect(lines).toEqual([]);
    expect(clock.now()).toBe(10);
  });

  test('advanceTo goes to an instant, and never back', async () => {
    const clock = new VirtualClock({ start: 100 });
    await clock.advanceTo(250);
    await clock.advanceTo(200);
    expect(clock.now()).toBe(250);
  });

  test('runToIdle ends at the instant of the last timer', async () => {
    const clock = new VirtualClock();
    let left = 5;
    const again = () => {
      if (--left > 0) after(clock, 1000, again);
    };
    after(clock, 1000, again);
    await clock.runToIdle();
    expect(clock.now()).toBe(5000);
    expect(clock.pending).toBe(0);
  });

  test('runToIdle ends at its limit when timers never end', async () => {
    const clock = new VirtualClock();
    const again = () => {
      after(clock, 1000, again);
    };
    again();
    await clock.runToIdle(3500);
    expect(clock.now()).toBe(3500);
    expect(clock.pending).toBe(1);
  });

  test('tick fires what is due at once and leaves promises waiting', async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    after(clock, 10, () => void Promise.resolve().then(log(clock, lines, 'promise')));
    after(clock, 20, log(clock, lines, 'timer'));
    clock.tick(20);
    expect(lines).toEqual(['20 timer']);
    expect(clock.now()).toBe(20);
    await null;
    expect(lines).toEqual(['20 timer', '20 promise']);
  });

  test('a timer that throws is heard by whoever moves time', async () => {
    const clock = new VirtualClock();
    after(clock, 10, () => {
      throw new Error('broken');
    });
    await expect(clock.advance(20)).rejects.toThrow('broken');
    expect(clock.pending).toBe(0);
  });
});

describe('arming', () => {
  test('arming an armed timer moves it to its new place, behind those of the same instant', async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const moved = after(clock, 5, log(clock, lines, 'moved'));
    after(clock, 10, log(clock, lines, 'other'));
    clock.arm(moved, 10);
    await clock.advance(10);
    expect(lines).toEqual(['10 other', '10 moved']);
  });

  test('disarming takes a timer out, and is harmless when it is not in', async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const timer = after(clock, 5, log(clock, lines, 'never'));
    clock.disarm(timer);
    clock.disarm(timer);
    expect(timer.armed).toBe(false);
    await clock.advance(10);
    expect(lines).toEqual([]);
  });

  test.each([Number.NaN, -10])('a delay of %p counts as 0', (ms) => {
    const clock = new VirtualClock({ start: 7 });
    const lines: string[] = [];
    after(clock, ms, log(clock, lines, 'now'));
    clock.tick(0);
    expect(lines).toEqual(['7 now']);
  });

  test('an endless delay is never armed', () => {
    const clock = new VirtualClock();
    const timer = after(clock, Number.POSITIVE_INFINITY, log(clock, [], 'never'));
    expect(timer.armed).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test('delays beyond 2^31-1 ms fire at their instant', () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    after(clock, 9_999_999_000, log(clock, lines, 'far'));
    clock.tick(9_999_998_999);
    expect(lines).toEqual([]);
    clock.tick(1);
    expect(lines).toEqual(['9999999000 far']);
  });
});

test('whatever is armed, moved and disarmed, the rest fires by instant and order of arming', () => {
  const step = fc.record({
    act: fc.constantFrom('arm', 'arm', 'arm', 'move', 'disarm', 'tick'),
    which: fc.nat(30),
    ms: fc.nat(40),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const clock = new VirtualClock();
      const timers: Timer[] = [];
      const fired: number[] = [];
      let expected: { id: number; due: number; order: number }[] = [];
      const wanted: number[] = [];
      let order = 0;
      const expectArmed = (id: number, ms: number) => {
        expected = expected.filter((other) => other.id !== id);
        expected.push({ id, due: clock.now() + ms, order: order++ });
      };
      const pass = (until: number) => {
        const due = expected.filter((entry) => entry.due <= until);
        due.sort((a, b) => a.due - b.due || a.order - b.order);
        wanted.push(...due.map((entry) => entry.id));
        expected = expected.filter((entry) => entry.due > until);
      };
      for (const { act, which, ms } of steps) {
        const known = timers[which % Math.max(1, timers.length)];
        if (act === 'arm') {
          const id = timers.length;
          expectArmed(id, ms);
          timers.push(after(clock, ms, () => fired.push(id)));
        } else if (act === 'tick') {
          pass(clock.now() + ms);
          clock.tick(ms);
        } else if (known !== undefined && act === 'move') {
          expectArmed(timers.indexOf(known), ms);
          clock.arm(known, ms);
        } else if (known !== undefined) {
          expected = expected.filter((entry) => entry.id !== timers.indexOf(known));
          clock.disarm(known);
        }
        expect(clock.pending).toBe(expected.length);
      }
      pass(Number.POSITIVE_INFINITY);
      clock.tick(1000);
      expect(fired).toEqual(wanted);
    }),
  );
});
