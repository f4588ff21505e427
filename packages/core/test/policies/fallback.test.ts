import { describe, expect, test } from '@jest/globals';
import {
  type CallOptions,
  createSpillway,
  judge,
  type Outcome,
  type SpillwayEvent,
  spillwayError,
  VirtualClock,
} from '../../src/index.js';

/** A dependency whose every call fails, and a clock. */
function scene(fallback?: { readonly run: () => unknown; readonly timeout?: string }) {
  const clock = new VirtualClock();
  const events: SpillwayEvent[] = [];
  const spillway = createSpillway(
    {
      service: 'test',
      dependencies: {
        db: {
          retry: false as const,
          breaker: false as const,
          ...(fallback && { fallback: fallback as never }),
        },
      },
    },
    { clock, observers: [(event) => events.push(event)] },
  );
  const db = spillway.dependency('db');
  const ask = (options: CallOptions<unknown> = {}): Promise<Outcome<unknown>> => db.settle(down, options);
  const told = () => events.filter(({ type }) => type.startsWith('fallback'));
  return { clock, db, ask, told };
}

const down = () => {
  throw new Error('down');
};
const hangs = () => new Promise(() => undefined);

describe('who stands in', () => {
  test.each<[string, CallOptions<unknown>, unknown]>([
    ['the configured one, where repeating does no harm', { idempotent: true }, 'configured'],
    ['nobody, where it might', {}, undefined],
    ['the one of the call, whatever is repeated', { fallback: () => 'own' }, 'own'],
    ['the one of the call before the configured one', { idempotent: true, fallback: () => 'own' }, 'own'],
    ['nobody, where the call wants none', { idempotent: true, fallback: false }, undefined],
  ])('%s', async (_, options, wanted) => {
    const { ask, told } = scene({ run: () => 'configured' });
    const { ok, value, error } = await ask(options);
    expect([ok, value]).toEqual([wanted !== undefined, wanted]);
    expect(told().map(({ type }) => type)).toEqual(ok ? ['fallback.used'] : []);
    if (!ok) expect(error).toMatchObject({ code: 'ERR_UPSTREAM' });
  });

  test.each([
    ['GET', true],
    ['HEAD', true],
    ['OPTIONS', true],
    ['TRACE', true],
    ['QUERY', true],
    ['PUT', false],
    ['DELETE', false],
    ['POST', false],
  ])('for a request by %s, the configured one: %p', async (method, stands) => {
    const { db } = scene({ run: () => 'configured' });
    const { ok } = await db.run({
      operation: 'read',
      method,
      path: '/',
      origin: undefined,
      idempotent: !stands,
      keyed: false,
      options: {},
      work: down,
      judge: () => judge('reset'),
    });
    expect(ok).toBe(stands);
  });

  test('nobody, where the failure is no fault of the dependency', async () => {
    const { db, told } = scene({ run: () => 'configured' });
    const error = spillwayError('ERR_CONFIG', 'a mistake');
    const misused = () => {
      throw error;
    };
    const outcome = await db.settle(misused, { idempotent: true });
    expect([outcome.error, told()]).toEqual([error, []]);
  });
});

describe('the time of a fallback', () => {
  test.each<[string, string | undefined, CallOptions<unknown>, number]>([
    ['is a second', undefined, { fallback: hangs }, 1000],
    ['is a second for the configured one too', undefined, { idempotent: true }, 1000],
    ['is what is configured', '200ms', { idempotent: true }, 200],
    ['of the call is not what is configured', '200ms', { fallback: hangs }, 1000],
  ])('%s', async (_, timeout, options, ms) => {
    const { ask, clock, told } = scene({ run: hangs, ...(timeout !== undefined && { timeout }) });
    let settled: Outcome<unknown> | undefined;
    void ask(options).then((outcome) => {
      settled = outcome;
    });
    await clock.advance(ms - 1);
    expect(settled).toBeUndefined();
    await clock.advance(1);
    expect(settled?.error).toMatchObject({
      code: 'ERR_DEADLINE_EXCEEDED',
      message: 'The fallback of db did not answer in time',
      dependency: 'db',
      operation: 'call',
    });
    expect(clock.pending).toBe(0);
    expect(told()).toMatchObject([{ type: 'fallback.failed' }]);
  });

  test('ends with its caller’s patience', async () => {
    const { ask, clock } = scene();
    const controller = new AbortController();
    const reason = new Error('gone');
    const answer = ask({ fallback: hangs, signal: controller.signal });
    await clock.advance(10);
    controller.abort(reason);
    expect((await answer).error).toBe(reason);
    expect(clock.pending).toBe(0);
  });
});

describe('what is told of a fallback', () => {
  test('that it was used, for whom and why', async () => {
    const { ask, told, clock } = scene();
    await clock.advance(5);
    await ask({ fallback: () => 'own', operation: 'read' });
    expect(told()).toEqual([
      { type: 'fallback.used', dependency: 'db', operation: 'read', id: 1, at: 5, cause: 'ERR_UPSTREAM' },
    ]);
  });

  test('that it failed', async () => {
    const { ask, told } = scene();
    await ask({
      fallback: () => {
        throw new Error('no better');
      },
    });
    expect(told()).toEqual([
      { type: 'fallback.failed', dependency: 'db', operation: 'call', id: 1, at: 0, cause: 'ERR_UPSTREAM' },
    ]);
  });
});

describe('the error of a fallback', () => {
  const thrown = async (error: unknown) => {
    const { ask } = scene();
    const outcome = await ask({
      fallback: () => {
        throw error;
      },
    });
    return outcome.error as Record<string, unknown>;
  };

  test('gets the failure as its cause, and its status for default error handlers, which nobody sees printed', async () => {
    const own = new Error('no better');
    const error = await thrown(own);
    expect(error).toBe(own);
    expect(error).toMatchObject({
      status: 502,
      statusCode: 502,
      expose: true,
      cause: { code: 'ERR_UPSTREAM' },
    });
    expect(Object.keys(error)).toEqual([]);
    expect('headers' in error).toBe(false);
  });

  test('keeps what it has of its own', async () => {
    const cause = new Error('its own');
    const error = await thrown(Object.assign(new Error('teapot', { cause }), { status: 418 }));
    expect([error['status'], error['statusCode'], error['cause']]).toEqual([418, 502, cause]);
  });

  test('is given no status where it is one of ours', async () => {
    const ours = spillwayError('ERR_BREAKER_OPEN', 'another one', { dependency: 'other' });
    const error = await thrown(ours);
    expect([error, error['status']]).toEqual([ours, 503]);
    expect(error['cause']).toMatchObject({ code: 'ERR_UPSTREAM' });
  });

  test('is told when to come again as the failure is, unless it is one of ours', async () => {
    const { db } = scene();
    const busy = () => new Response(null, { status: 503, headers: { 'retry-after': '7' } });
    const thrownFor = async (error: Error) => {
      const fallback = () => Promise.reject(error);
      const outcome = await db.settle<unknown>(busy, { fallback });
      return outcome.error as { readonly headers?: unknown };
    };
    const ours = spillwayError('ERR_UPSTREAM', 'another one', { dependency: 'other' });
    expect((await thrownFor(new Error('no better'))).headers).toEqual({ 'Retry-After': '7' });
    expect((await thrownFor(ours)).headers).toBeUndefined();
  });

  test.each([['a text'], [7], [null], [undefined]])('may be no object: %j', async (odd) => {
    expect(await thrown(odd)).toBe(odd);
  });

  test('may be a function, which stays as it is', async () => {
    const odd = () => 'odd';
    const error = await thrown(odd);
    expect([error, error['cause'], error['status']]).toEqual([odd, undefined, undefined]);
  });

  test('may be frozen', async () => {
    const frozen = Object.freeze(new Error('no better'));
    const error = await thrown(frozen);
    expect([error, error['status']]).toEqual([frozen, undefined]);
  });
});
