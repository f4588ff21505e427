import { describe, expect, test } from '@jest/globals';
import {
  type CallOptions,
  createSpillway,
  type Outcome,
  RequestCall,
  type SpillwayConfig,
  type SpillwayEvent,
  staleIfError,
  VirtualClock,
} from '../../src/index.js';

const ONCE = { retry: false, breaker: false } as const;
const FACTS = {
  method: 'GET',
  attempt: 1,
  criticality: 'critical',
  idempotencyKey: undefined,
  callerScope: undefined,
} as const;

/** A dependency that is down at first, under virtual time; `request` makes the call of a request with so much time. */
function scene(db: NonNullable<SpillwayConfig['dependencies']>[string] = ONCE) {
  const clock = new VirtualClock();
  const events: SpillwayEvent[] = [];
  const spillway = createSpillway<Record<string, unknown>>(
    { service: 'test', dependencies: { db, cache: ONCE } },
    { clock, observers: [(event) => events.push(event)] },
  );
  const request = (ms = Number.POSITIVE_INFINITY) => {
    const until = clock.now() + ms;
    return new RequestCall(clock, clock.now(), until, until, FACTS);
  };
  const settle = (work: () => unknown, options: CallOptions<unknown>): Promise<Outcome<unknown>> =>
    spillway.dependency('db').settle(work, options);
  const ask = (options: CallOptions<unknown>) => settle(down, options);
  const told = () => events.map(({ type }) => type).filter((type) => type.startsWith('fallback'));
  return { clock, spillway, events, request, settle, ask, told };
}

const down = () => {
  throw new Error('down');
};
const hangs = () => new Promise(() => undefined);

describe('the answer is marked as degraded', () => {
  const own = () => 'own';
  const configured = (mark?: boolean) => ({ run: () => 'configured', ...(mark !== undefined && { mark }) });

  test.each<[string, ReturnType<typeof configured> | undefined, CallOptions<unknown>, string[]]>([
    ['by the dependency’s name', configured(), { idempotent: true }, ['db']],
    ['where that is wanted', configured(true), { idempotent: true }, ['db']],
    ['nowhere else', configured(false), { idempotent: true }, []],
    ['for a fallback of the call', undefined, { fallback: own }, ['db']],
    ['for a fallback of the call where that is wanted', configured(true), { fallback: own }, ['db']],
    ['for a fallback of the call not where it is unwanted', configured(false), { fallback: own }, []],
    ['not where nobody answered', undefined, {}, []],
  ])('%s', async (_, fallback, options, degraded) => {
    const { ask, request } = scene({ ...ONCE, ...(fallback && { fallback }) });
    const parent = request();
    await ask({ ...options, parent });
    expect([...parent.degraded]).toEqual(degraded);
  });

  test.each<[boolean | undefined, string[]]>([
    [undefined, ['db;age=2']],
    [true, ['db;age=2']],
    [false, []],
  ])('with the age of what was kept, where mark is %p', async (mark, degraded) => {
    const fallback = staleIfError({ maxAge: '1m', maxEntries: 1, ...(mark !== undefined && { mark }) });
    const { clock, settle, request } = scene({ ...ONCE, fallback });
    const options = { idempotent: true, key: 'a', parent: request() };
    await settle(() => 'kept', options);
    await clock.advance(2999);
    expect((await settle(down, options)).value).toBe('kept');
    expect([...options.parent.degraded]).toEqual(degraded);
  });
});

describe('the time of a fallback', () => {
  test.each([
    ['begins with the failure', undefined, 1000],
    ['ends with that of the request', 300, 300],
    ['is its own where the request has longer', 5000, 1000],
  ])('%s', async (_, left, ms) => {
    const { clock, ask, request } = scene();
    await clock.advance(77);
    let settled: Outcome<unknown> | undefined;
    void ask({ fallback: hangs, ...(left !== undefined && { parent: request(left) }) }).then((outcome) => {
      settled = outcome;
    });
    await clock.advance(ms - 1);
    expect(settled).toBeUndefined();
    await clock.advance(1);
    expect(settled?.error).toMatchObject({ code: 'ERR_DEADLINE_EXCEEDED' });
  });

  test('is over for what it waits on, when it is over', async () => {
    const { clock, ask } = scene();
    let signal: AbortSignal | undefined;
    const answer = ask({
      fallback: (_failure, context) => {
        signal = context.signal;
        return hangs();
      },
    });
    await clock.advance(999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
    expect((await answer).error).toBe(signal?.reason);
  });

  test.each([
    [300, 300],
    [5000, 1000],
  ])('is that of the clients it uses: of %i ms that are left, %i', async (left, ms) => {
    const { clock, spillway, ask, request } = scene();
    spillway.provideClients((name, call) => [name, call.answerBy, call.remainingMs()]);
    await clock.advance(10);
    const outcome = await ask({ fallback: (_failure, { client }) => client('cache'), parent: request(left) });
    expect(outcome.value).toEqual(['cache', 10 + ms, ms]);
  });
});

describe('a caller that goes', () => {
  test('while the fallback runs, is not told that it failed', async () => {
    const { clock, ask, events, told } = scene();
    const controller = new AbortController();
    const answer = ask({ fallback: hangs, signal: controller.signal });
    await clock.advance(10);
    controller.abort('gone');
    expect((await answer).error).toBe('gone');
    expect(told()).toEqual([]);
    expect(events.at(-1)).toMatchObject({
      type: 'operation.end',
      outcome: 'cancelled',
      stopped: 'cancelled',
    });
  });

  test('as the last attempt fails, gets no fallback', async () => {
    const { ask, told, events } = scene();
    const controller = new AbortController();
    let runs = 0;
    const { ok } = await ask({
      fallback: () => ++runs,
      signal: controller.signal,
      classify: () => {
        controller.abort('gone');
        return undefined;
      },
    });
    expect([ok, runs, told()]).toEqual([false, 0, []]);
    expect(events.at(-1)).toMatchObject({ type: 'operation.end' });
  });

  test('as retries are given up, gets no fallback', async () => {
    const { clock, ask, request, spillway, told } = scene({ breaker: false, retry: { attempts: 2 } });
    const parent = request();
    parent.listen({ onCancel: () => void spillway.close() });
    let runs = 0;
    const answer = ask({ fallback: () => ++runs, idempotent: true, parent });
    await clock.advance(0);
    parent.cancel('gone');
    expect(await answer).toMatchObject({ ok: false, error: 'gone' });
    expect([runs, told()]).toEqual([0, []]);
  });
});
