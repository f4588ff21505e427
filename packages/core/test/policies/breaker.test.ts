import { describe, expect, test } from '@jest/globals';
import {
  after,
  type BreakerConfig,
  type Clock,
  type DependencyConfig,
  definePolicy,
  success,
} from '../../src/index.js';
import { bad, codesOf, errorOf, good, guarded, Held, hang, single } from '../cases/support/single.js';

const FIRST_FAILURE = { consecutive: 1, failureRate: false, openFor: '5s' } as const;

/** Work that takes `ms` of `clock`. */
const lasting = (clock: Clock, ms: number) => () =>
  new Promise<string>((resolve) => void after(clock, ms, () => resolve('fine')));

/** Lets everything pass as it is; with it, attempts run in all of their layers. */
const transparent = definePolicy<object>('transparent', () => (next) => next);

describe('the refusal of an open breaker', () => {
  const forms: [string, DependencyConfig][] = [
    ['before anything waits', {}],
    ['in the layers', { policies: [{ policy: transparent({}), before: 'attempt' }] }],
  ];
  test.each(forms)('%s: its error says whose it is and when to come back', async (_, policy) => {
    const { clock, dep, of } = guarded(FIRST_FAILURE, policy);
    await dep.settle(bad);
    await clock.advance(1000);
    expect(errorOf(await dep.settle(good, { operation: 'read' }))).toMatchObject({
      code: 'ERR_BREAKER_OPEN',
      message: 'The breaker of dep is open',
      dependency: 'dep',
      operation: 'read',
      retryAfterMs: 4000,
      sent: 'no',
    });
    expect(of('breaker.refused')).toEqual([
      {
        type: 'breaker.refused',
        dependency: 'dep',
        operation: 'read',
        id: 2,
        at: 1000,
        key: 'dep',
        state: 'open',
        retryAfterMs: 4000,
        observed: false,
      },
    ]);
  });
});

test('a call whose breaker has opened while it waited for a unit is refused once it has one', async () => {
  const { clock, dep, of } = guarded(FIRST_FAILURE, { bulkhead: { concurrent: 1 } });
  const running = dep.settle(() => lasting(clock, 100)().then(() => bad()));
  const waiting = dep.settle(good);
  await clock.advance(100);
  expect(codesOf(await Promise.all([running, waiting]))).toEqual(['ERR_UPSTREAM', 'ERR_BREAKER_OPEN']);
  expect(of('breaker.refused')).toMatchObject([{ id: 2, at: 100, state: 'open', observed: false }]);
});

describe('a call with little time left', () => {
  test.each<[string, BreakerConfig, number]>([
    ['half of attempt.timeout', {}, 1500],
    ['attempt.timeout, where slow ones take longer', { slow: { over: '5s' }, observes: 'operations' }, 3000],
  ])('is no probe below %s', async (_, rule, needs) => {
    const { clock, dep, of } = guarded({ ...FIRST_FAILURE, ...rule });
    await dep.settle(bad);
    await clock.advance(5000);
    const short = await dep.settle(good, { deadline: needs - 1 });
    expect(errorOf(short)).toMatchObject({ code: 'ERR_BREAKER_OPEN', retryAfterMs: 0 });
    expect(of('breaker.refused')).toMatchObject([{ state: 'half-open', observed: false }]);
    expect(codesOf([await dep.settle(good, { deadline: needs })])).toEqual(['ok']);
    expect(dep.breaker.state).toBe('closed');
  });

  test('is one after all where none with more came for a further open time', async () => {
    const { clock, dep } = guarded(FIRST_FAILURE);
    await dep.settle(bad);
    await clock.advance(9999);
    expect(codesOf([await dep.settle(good, { deadline: 100 })])).toEqual(['ERR_BREAKER_OPEN']);
    await clock.advance(1);
    expect(codesOf([await dep.settle(good, { deadline: 100 })])).toEqual(['ok']);
  });

  test('passes a closed breaker', async () => {
    const { dep } = guarded(FIRST_FAILURE, { policies: [{ policy: transparent({}), before: 'attempt' }] });
    expect(codesOf([await dep.settle(good, { deadline: 1 })])).toEqual(['ok']);
  });
});

describe('the time that a breaker counts', () => {
  const SLOW = { failureRate: false, slow: { over: '100ms', rate: 0.5 }, minCalls: 1 } as const;

  test.each([
    [50, 'closed'],
    [150, 'open'],
  ])('is that of an operation where it observes those: %d ms', async (ms, state) => {
    const { clock, dep } = guarded({ ...SLOW, observes: 'operations' });
    await clock.advance(1000);
    const done = dep.settle(lasting(clock, ms));
    await clock.advance(ms);
    expect([codesOf([await done]), dep.breaker.state]).toEqual([['ok'], state]);
  });

  test.each([
    [50, 'closed'],
    [150, 'open'],
  ])('is that of an operation, its waits included, where it observes both: %d ms', async (ms, state) => {
    const backoff = { base: ms, jitter: 'none' } as const;
    const { clock, dep } = guarded(
      { ...SLOW, observes: 'both' },
      { retry: { attempts: 2, budget: false, backoff } },
    );
    await clock.advance(1000);
    const done = dep.settle(bad, { idempotent: true });
    await clock.advance(ms);
    expect([codesOf([await done]), dep.breaker.state]).toEqual([['ERR_UPSTREAM'], state]);
  });

  const lingers = definePolicy<{ ms: number }>('lingers', ({ ms }, { clock }) => (next) => async (call) => {
    const outcome = await next(call);
    await new Promise<void>((resolve) => void after(clock, ms, resolve));
    return outcome;
  });
  test.each([
    ['a quick one at the very start', 0, 0, 0],
    ['a slow one at the very start', 0, 150, 1],
    ['a quick one later', 1000, 50, 0],
    ['a slow one later', 1000, 150, 1],
  ])('is that of the attempt, and not of a policy around it: %s', async (_, start, ms, slow) => {
    const { clock, dep, breaker } = guarded(
      { ...SLOW, minCalls: 10 },
      { policies: [{ policy: lingers({ ms: 500 }), before: 'attempt' }] },
    );
    await clock.advance(start);
    const done = dep.settle(ms === 0 ? good : lasting(clock, ms));
    await clock.advance(ms + 500);
    expect(codesOf([await done])).toEqual(['ok']);
    expect(breaker()).toMatchObject({ calls: 1, slow });
  });

  test('is none where a policy answers in place of the attempt', async () => {
    const answers = definePolicy<object, string>('answers', () => () => async () => success('kept'));
    const { clock, dep, breaker } = guarded(
      { ...SLOW, minCalls: 10 },
      { policies: [{ policy: answers({}), before: 'attempt' }] },
    );
    await clock.advance(60_000);
    expect(await dep.settle(bad)).toMatchObject({ ok: true, value: 'kept' });
    expect(breaker()).toMatchObject({ calls: 1, failures: 0, slow: 0 });
  });
});

describe('a breaker beside a bulkhead', () => {
  const ONE_UNIT = { bulkhead: { concurrent: 1, queue: 5, wait: '5s' }, retry: false } as const;

  test('refuses who waited for its unit while it opened, where it observes both', async () => {
    const { clock, dep, now } = single({ ...ONE_UNIT, breaker: { observes: 'both' } });
    const held = new Held();
    const first = dep.settle(held.work);
    const second = dep.settle(good);
    await clock.advance(0);
    expect(now().bulkhead).toMatchObject({ inUse: 1, queued: 1 });
    dep.breaker.forceOpen();
    held.succeed(0);
    await clock.advance(0);
    expect(codesOf(await Promise.all([first, second]))).toEqual(['ok', 'ERR_BREAKER_OPEN']);
    expect(now().bulkhead).toMatchObject({ inUse: 0, queued: 0 });
  });

  test('lets one probe run beside work that ignores its abort, and refuses the next at once', async () => {
    const { clock, dep, now, of } = single({
      ...ONE_UNIT,
      attempt: { timeout: '100ms' },
      breaker: { ...FIRST_FAILURE, openFor: '1s', jitter: 0, probes: 2 },
    });
    const hung = dep.settle(hang);
    await clock.advance(100);
    expect([codesOf([await hung]), dep.breaker.state]).toEqual([['ERR_UPSTREAM'], 'open']);
    await clock.advance(1000);
    const held = new Held();
    const probe = dep.settle(held.work);
    const beside = dep.settle(good);
    await clock.advance(0);
    expect(now().bulkhead).toMatchObject({ inUse: 2, queued: 0, detached: 1 });
    expect(of('bulkhead.refused')).toMatchObject([{ reason: 'full', at: 1100 }]);
    expect(codesOf([await beside])).toEqual(['ERR_BULKHEAD_FULL']);
    held.succeed(0);
    expect(codesOf([await probe])).toEqual(['ok']);
    expect(codesOf([await dep.settle(good)])).toEqual(['ok']);
    expect(dep.breaker.state).toBe('closed');
  });
});

describe('a breaker that only observes', () => {
  const OBSERVES = { ...FIRST_FAILURE, jitter: 0, probes: 1, mode: 'observe' } as const;

  test('makes no probe of a call that it would have refused: its unit is one of all', async () => {
    const { dep, of } = single({ retry: false, bulkhead: { concurrent: 1, queue: 0 }, breaker: OBSERVES });
    await dep.settle(bad);
    const held = new Held();
    const first = dep.settle(held.work);
    expect(codesOf([await dep.settle(good)])).toEqual(['ERR_BULKHEAD_FULL']);
    held.succeed(0);
    expect(codesOf([await first])).toEqual(['ok']);
    expect(of('breaker.refused')).toMatchObject([{ observed: true }, { observed: true }]);
  });

  test('learns nothing from such a call', async () => {
    const { clock, dep, of } = guarded(
      { ...OBSERVES, openFor: '1s', slow: { over: '100ms' } },
      { attempt: { timeout: false } },
    );
    await dep.settle(bad);
    await clock.advance(1000);
    const probe = new Held();
    const probing = dep.settle(probe.work);
    const held = new Held();
    const observed = dep.settle(held.work);
    await clock.advance(1500);
    expect(of('breaker.refused')).toMatchObject([{ at: 1000, observed: true }]);
    const moves = of('breaker.transition').length;
    held.succeed(0);
    expect(codesOf([await observed])).toEqual(['ok']);
    expect(of('breaker.transition')).toHaveLength(moves);
    probe.succeed(0);
    await probing;
    expect(of('breaker.transition').at(-1)).toMatchObject({ from: 'half-open', to: 'open', at: 2000 });
  });
});
