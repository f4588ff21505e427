import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { after, Timer } from '../../src/time/clock.js';
import { nextTurn, systemClock, systemRandom } from '../../src/time/system-clock.js';
import { runChild } from './child.js';

const clock = systemClock();

class Alarm extends Timer {
  firedAt: number | undefined;
  readonly rang: Promise<void>;
  #ring!: () => void;

  constructor(keepAlive = true) {
    super(keepAlive);
    this.rang = new Promise((resolve) => {
      this.#ring = resolve;
    });
  }

  onTimer(): void {
    this.firedAt = performance.now();
    this.#ring();
  }
}

function armed(ms: number): Alarm {
  const alarm = new Alarm();
  clock.arm(alarm, ms);
  return alarm;
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('reading', () => {
  test('there is one clock in a process', () => {
    expect(systemClock()).toBe(clock);
  });

  test('now is monotonic time and wall is the time of day', () => {
    const before = [performance.now(), Date.now()] as const;
    const read = [clock.now(), clock.wall()] as const;
    const after = [performance.now(), Date.now()] as const;
    for (const i of [0, 1] as const) {
      expect(read[i]).toBeGreaterThanOrEqual(before[i]);
      expect(read[i]).toBeLessThanOrEqual(after[i]);
    }
  });

  test('chance lies from 0 up to 1', () => {
    const draws = Array.from({ length: 100 }, () => systemRandom());
    expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
  });
});

describe('firing', () => {
  test('no timer fires before it is due, and none long after', async () => {
    const alarms = Array.from({ length: 60 }, (_, i) => armed(1 + i * 0.37));
    await Promise.all(alarms.map((alarm) => alarm.rang));
    for (const alarm of alarms) expect(alarm.firedAt).toBeGreaterThanOrEqual(alarm.due);
  });

  test('timers armed in the middle of a long turn are not early either', async () => {
    const busyUntil = performance.now() + 15;
    while (performance.now() < busyUntil);
    const alarm = armed(10);
    await alarm.rang;
    expect(alarm.firedAt).toBeGreaterThanOrEqual(alarm.due);
  });

  test('timers of one length fire in the order of arming', async () => {
    const order: number[] = [];
    const last = new Promise<void>((resolve) => {
      for (let i = 0; i < 5; i++) after(clock, 8, () => order.push(i));
      after(clock, 8, resolve);
    });
    await last;
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  test.each([Number.NaN, -5, 0])('a delay of %p fires as soon as possible', async (ms) => {
    const alarm = armed(ms);
    expect(alarm.due).toBeLessThanOrEqual(performance.now());
    await alarm.rang;
    expect(alarm.armed).toBe(false);
  });

  test('a timer armed again while its list fires waits for its own time', async () => {
    const at: number[] = [];
    await new Promise<void>((resolve) => {
      const again = () => {
        at.push(performance.now());
        if (at.length === 3) resolve();
        else after(clock, 6, again);
      };
      after(clock, 6, again);
    });
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(6);
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThanOrEqual(6);
  });

  test('a timer disarmed by its neighbour in the same turn does not fire', async () => {
    const victim = new Alarm();
    await new Promise<void>((resolve) => {
      after(clock, 7, () => clock.disarm(victim));
      clock.arm(victim, 7);
      after(clock, 7, resolve);
    });
    expect(victim.firedAt).toBeUndefined();
  });
});

describe('arming', () => {
  test('arming an armed timer moves it', async () => {
    const alarm = armed(5);
    clock.arm(alarm, 30);
    const due = alarm.due;
    await alarm.rang;
    expect(alarm.firedAt).toBeGreaterThanOrEqual(due);
    expect(due).toBe(alarm.due);
  });

  test('a disarmed timer does not fire, and disarming twice is harmless', async () => {
    const alarm = armed(3);
    clock.disarm(alarm);
    clock.disarm(alarm);
    expect(alarm.armed).toBe(false);
    await armed(10).rang;
    expect(alarm.firedAt).toBeUndefined();
  });

  test('an endless delay is never armed, and takes an armed timer out', () => {
    const alarm = armed(1000);
    clock.arm(alarm, Number.POSITIVE_INFINITY);
    expect(alarm.armed).toBe(false);
    expect(alarm.due).toBe(Number.POSITIVE_INFINITY);
  });

  test('a thousand timers of one length share one real timer', () => {
    const real = jest.spyOn(globalThis, 'setTimeout');
    const alarms = Array.from({ length: 1000 }, () => armed(876_543));
    expect(real).toHaveBeenCalledTimes(1);
    for (const alarm of alarms) clock.disarm(alarm);
  });

  test('lengths that differ by a fraction of a millisecond share one too', () => {
    const real = jest.spyOn(globalThis, 'setTimeout');
    const alarms = Array.from({ length: 100 }, (_, i) => armed(765_432 + (i + 1) / 100));
    expect(real).toHaveBeenCalledTimes(1);
    for (const alarm of alarms) clock.disarm(alarm);
  });

  test('delays beyond 2^31-1 ms reach the real timer cut, so they neither fire early nor warn', async () => {
    const warnings: unknown[] = [];
    const note = (warning: unknown) => warnings.push(warning);
    process.on('warning', note);
    const real = jest.spyOn(globalThis, 'setTimeout');
    const alarm = armed(30 * 86_400_000);
    expect(real.mock.calls[0]?.[1]).toBe(2_147_483_647);
    await armed(15).rang;
    process.off('warning', note);
    expect(alarm.armed).toBe(true);
    expect(warnings).toEqual([]);
    clock.disarm(alarm);
  });

  test('a list whose timers are all disarmed is dropped when its real timer fires', async () => {
    const real = jest.spyOn(globalThis, 'setTimeout');
    clock.disarm(armed(11));
    await armed(30).rang;
    const calls = real.mock.calls.filter(([, ms]) => ms === 11).length;
    clock.disarm(armed(11));
    expect(calls).toBe(1);
    expect(real.mock.calls.filter(([, ms]) => ms === 11).length).toBe(2);
  });

  test('a call armed and disarmed over and over touches the real timer once', () => {
    const keep = armed(54_321);
    clock.disarm(keep);
    const real = jest.spyOn(globalThis, 'setTimeout');
    const immediate = jest.spyOn(globalThis, 'setImmediate');
    for (let i = 0; i < 1000; i++) clock.disarm(armed(54_321));
    expect(real).not.toHaveBeenCalled();
    expect(immediate.mock.calls.length).toBeLessThanOrEqual(1);
  });
});

describe('the process', () => {
  test('ends at once when all guarded calls have ended', async () => {
    const end = await runChild(`
      for (let i = 0; i < 100; i++) clock.disarm(after(clock, 60_000 + i, () => {}));
      await null;
      clock.disarm(after(clock, 60_000, () => {}));
    `);
    expect(end).toMatchObject({ code: 0, err: '' });
    expect(end.ms).toBeLessThan(10_000);
  });

  test('lives until a timer that somebody awaits has fired', async () => {
    const end = await runChild(`after(clock, 300, () => console.log('fired'));`);
    expect(end).toMatchObject({ code: 0, out: 'fired\n', err: '' });
  });

  test('is kept alive again by a call that follows a finished one on the same list', async () => {
    const end = await runChild(`
      clock.disarm(after(clock, 250, () => {}));
      setTimeout(() => after(clock, 250, () => console.log('fired')), 20);
    `);
    expect(end).toMatchObject({ code: 0, out: 'fired\n', err: '' });
  });

  test('does not wait for a timer that nobody awaits', async () => {
    const end = await runChild(`after(clock, 60_000, () => console.log('fired'), false);`);
    expect(end).toMatchObject({ code: 0, out: '', err: '' });
    expect(end.ms).toBeLessThan(10_000);
  });

  test('waits only for the awaited one of two on the same list', async () => {
    const end = await runChild(`
      after(clock, 200, () => console.log('lazy'), false);
      const kept = after(clock, 200, () => console.log('kept'));
      setImmediate(() => clock.disarm(kept));
    `);
    expect(end).toMatchObject({ code: 0, out: '', err: '' });
  });

  test('hears of a timer that throws, while its neighbours go on', async () => {
    const end = await runChild(`
      process.on('uncaughtException', (error) => console.log('caught ' + error.message));
      after(clock, 20, () => { throw new Error('first'); });
      after(clock, 20, () => console.log('second'));
      after(clock, 40, () => console.log('third'));
    `);
    expect(end.code).toBe(0);
    expect(end.out.split('\n').sort()).toEqual(['', 'caught first', 'second', 'third']);
  });
});

test('the next turn comes after every promise chain that can go on', async () => {
  let steps = 0;
  const chain = async () => {
    for (let i = 0; i < 1000; i++) {
      await null;
      steps++;
    }
  };
  const done = chain();
  await nextTurn();
  expect(steps).toBe(1000);
  await done;
});
