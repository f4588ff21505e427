import { describe, expect, it } from '@jest/globals';
import {
  createSpillway,
  type FallbackFunction,
  type Spillway,
  type SpillwayConfig,
  type SpillwayError,
  type SpillwayEvent,
  VirtualClock,
} from '../../src/index.js';

type Reach = (name: string) => { call(work: () => unknown, options: object): Promise<unknown> };

describe('a fallback that calls whom it stands in for', () => {
  const down = async () => Promise.reject(new Error('down'));
  const events: SpillwayEvent[] = [];

  /** Dependencies that are down, each with what its fallback does; `baseUrl` says at which origin. */
  function spillway(
    fallbacks: Readonly<Record<string, (reach: Reach) => unknown>>,
    baseUrl: (name: string) => string | undefined = () => undefined,
  ): { clock: VirtualClock; own: Spillway<Record<string, unknown>> } {
    const clock = new VirtualClock();
    events.length = 0;
    const dependencies = Object.fromEntries(
      Object.entries(fallbacks).map(([name, answer]) => {
        const url = baseUrl(name);
        const fallback: FallbackFunction<unknown> = (_failure, { dependency }) =>
          answer(dependency as unknown as Reach);
        return [name, { retry: false, breaker: false, fallback, ...(url !== undefined && { baseUrl: url }) }];
      }),
    ) as NonNullable<SpillwayConfig['dependencies']>;
    const observers = [(event: SpillwayEvent) => events.push(event)];
    return { clock, own: createSpillway<Record<string, unknown>>({ dependencies }, { clock, observers }) };
  }

  async function failureOf(own: Spillway<Record<string, unknown>>, name: string): Promise<SpillwayError> {
    const outcome = await own.dependency(name).settle(down, { idempotent: true });
    expect(outcome.ok).toBe(false);
    return (outcome as { error: SpillwayError }).error;
  }

  const count = (type: SpillwayEvent['type']) => events.filter((event) => event.type === type).length;

  it('is refused at once: no attempt, no wait, and the failure it stood in for is the cause', async () => {
    let runs = 0;
    const { clock, own } = spillway({
      quotes: (reach) => reach('quotes').call(() => ++runs, { idempotent: true }),
    });
    const error = await failureOf(own, 'quotes');
    expect(error).toMatchObject({ code: 'ERR_FALLBACK_LOOP', dependency: 'quotes', status: 500, sent: 'no' });
    expect(error.message).toBe('The fallback of quotes called quotes; let it answer from something else');
    expect(error.cause).toMatchObject({ code: 'ERR_UPSTREAM', dependency: 'quotes' });
    expect([runs, clock.now(), count('attempt.start'), count('fallback.failed')]).toEqual([0, 0, 1, 1]);
  });

  it('is refused through the fallbacks of others, however many', async () => {
    const { own } = spillway({
      one: (reach) => reach('two').call(down, { idempotent: true }),
      two: (reach) => reach('three').call(down, { idempotent: true }),
      three: (reach) => reach('one').call(() => 'around', { idempotent: true }),
    });
    expect(await failureOf(own, 'one')).toMatchObject({ code: 'ERR_FALLBACK_LOOP', dependency: 'one' });
    expect([count('attempt.start'), count('fallback.failed')]).toEqual([3, 3]);
  });

  it('is refused by the origin too, whatever name it calls it by', async () => {
    const { own } = spillway(
      { quotes: (reach) => reach('mirror').call(() => 1, {}), mirror: () => 2 },
      (name) => (name === 'quotes' ? 'http://quotes.internal/v1' : 'http://quotes.internal/v2'),
    );
    expect(await failureOf(own, 'quotes')).toMatchObject({
      code: 'ERR_FALLBACK_LOOP',
      dependency: 'mirror',
      message: 'The fallback of quotes called mirror; let it answer from something else',
    });
  });

  it('may call any other dependency, also one of another origin', async () => {
    const { own } = spillway(
      { quotes: (reach) => reach('cache').call(() => 'kept', {}), cache: () => 2 },
      (name) => (name === 'quotes' ? 'http://quotes.internal' : 'http://cache.internal'),
    );
    await expect(own.dependency('quotes').call(down, { idempotent: true })).resolves.toBe('kept');
    expect(count('fallback.used')).toBe(1);
  });

  it('may be called again once its fallback is over', async () => {
    const { own } = spillway({ quotes: () => 'mended' });
    for (let i = 0; i < 2; i++) {
      await expect(own.dependency('quotes').call(down, { idempotent: true })).resolves.toBe('mended');
    }
    await expect(own.dependency('quotes').call(() => 'up', { idempotent: true })).resolves.toBe('up');
  });
});
