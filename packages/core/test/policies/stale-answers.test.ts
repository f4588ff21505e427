import { describe, expect, it } from '@jest/globals';
import {
  createSpillway,
  type FallbackOptions,
  judge,
  type SpillwayEvent,
  spillwayError,
  staleIfError,
  VirtualClock,
} from '../../src/index.js';

/** A dependency whose last good answers stand in, and a clock to grow them old. */
function scene(fallback: FallbackOptions<string>) {
  const clock = new VirtualClock();
  const spillway = createSpillway(
    {
      service: 'test',
      dependencies: { quotes: { fallback, retry: false as const, breaker: false as const } },
    },
    { clock },
  );
  const events: SpillwayEvent[] = [];
  spillway.subscribe((event) => events.push(event));
  const quotes = spillway.dependency('quotes');
  const ask = (answer: () => unknown, key = 'AAPL') => quotes.call(answer, { idempotent: true, key });
  return { clock, spillway, events, quotes, ask };
}

const down = (): never => {
  throw new Error('down');
};

describe('staleIfError', () => {
  it('serves the last good answer when an operation fails, and counts it', async () => {
    const { ask, events, spillway } = scene(staleIfError({ maxAge: '1m', maxEntries: 10 }));
    await ask(() => 'first');
    await ask(() => 'second');
    expect(await ask(down)).toBe('second');
    expect(events).toContainEqual(expect.objectContaining({ type: 'fallback.used', cause: 'ERR_UPSTREAM' }));
    expect(events.at(-1)).toMatchObject({ type: 'operation.end', outcome: 'degraded' });
    expect(spillway.snapshot().dependencies[0]).toMatchObject({ inFlight: 0 });
  });

  it.each([undefined, 'layered'] as const)('keeps what a retry answered, with link %s', async (link) => {
    const clock = new VirtualClock();
    const quotes = {
      fallback: staleIfError({ maxAge: '1m', maxEntries: 1 }),
      retry: { attempts: 2, backoff: { base: 0 } },
      breaker: false as const,
    };
    const spillway = createSpillway(
      { service: 'test', dependencies: { quotes } },
      { clock, ...(link && { link }) },
    );
    const ask = async (work: () => unknown) => {
      const answer = spillway.dependency('quotes').settle<unknown>(work, { idempotent: true, key: 'AAPL' });
      await clock.advance(10);
      return (await answer).value;
    };
    let asked = 0;
    const moody = () => (++asked === 1 ? down() : 'kept');
    expect([await ask(moody), await ask(down)]).toEqual(['kept', 'kept']);
  });

  it('serves nothing that is too old, asked for by another key, or was never kept', async () => {
    const { ask, clock, events } = scene(staleIfError({ maxAge: '1m', maxEntries: 10 }));
    await expect(ask(down)).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
    await clock.advance(90_000);
    await ask(() => 'kept');
    await expect(ask(down, 'MSFT')).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
    await clock.advance(60_000);
    expect(await ask(down)).toBe('kept');
    await clock.advance(1);
    await expect(ask(down)).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
    expect(events.filter(({ type }) => type === 'fallback.failed')).toEqual([]);
  });

  it('keeps no answer of a call that has no key, or may not be repeated', async () => {
    const { ask, quotes } = scene(staleIfError({ maxAge: '1m', maxEntries: 10 }));
    await quotes.call(() => 'of somebody', { idempotent: true });
    await expect(quotes.call(down, { idempotent: true })).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
    await quotes.call(() => 'paid', { key: 'AAPL' });
    await expect(ask(down)).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
  });

  it('keeps so many answers and no more, the least recently used going first', async () => {
    const { ask } = scene(staleIfError({ maxAge: '1m', maxEntries: 2, otherwise: () => 'none' }));
    for (const key of ['a', 'b', 'c']) await ask(() => key, key);
    expect([await ask(down, 'a'), await ask(down, 'b'), await ask(down, 'c')]).toEqual(['none', 'b', 'c']);
  });

  it('gives no place to answers that cannot be told apart', async () => {
    const { ask, quotes } = scene(staleIfError({ maxAge: '1m', maxEntries: 1 }));
    await ask(() => 'kept');
    await quotes.call(() => 'of somebody', { idempotent: true });
    expect(await ask(down)).toBe('kept');
  });

  it('keeps nothing that can be read but once', async () => {
    const { ask } = scene(staleIfError({ maxAge: '1m', maxEntries: 1 }));
    await ask(() => new Response('page'));
    await expect(ask(down)).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
  });

  it('keeps nothing of an operation that does not say what of it may be kept', async () => {
    const { quotes } = scene(staleIfError({ maxAge: '1m', maxEntries: 1 }));
    const read = (work: () => unknown) =>
      quotes.run<unknown>({
        operation: 'read',
        method: 'GET',
        path: '/',
        origin: undefined,
        idempotent: true,
        keyed: false,
        answerKey: 'a',
        options: {},
        work,
        judge: ({ ok }) => judge(ok ? 'answer' : 'reset'),
      });
    expect((await read(() => 'good')).value).toBe('good');
    expect((await read(down)).error).toMatchObject({ code: 'ERR_UPSTREAM' });
  });

  it('leaves it to the fallback of the call, where that has one', async () => {
    const { ask, quotes } = scene(staleIfError({ maxAge: '1m', maxEntries: 1 }));
    await ask(() => 'kept');
    const own = { idempotent: true, key: 'AAPL', fallback: () => 'own' };
    expect(await quotes.call(down, own)).toBe('own');
  });

  it.each<[string, { readonly timeout?: '200ms' }, number]>([
    ['a second', {}, 1000],
    ['what is configured', { timeout: '200ms' }, 200],
  ])('gives what stands in otherwise %s', async (_, timeout, ms) => {
    const otherwise = () => new Promise<never>(() => undefined);
    const { ask, clock } = scene(staleIfError({ maxAge: '1m', maxEntries: 1, otherwise, ...timeout }));
    let settled = false;
    const failed = expect(ask(down).finally(() => (settled = true))).rejects.toMatchObject({
      code: 'ERR_DEADLINE_EXCEEDED',
    });
    await clock.advance(ms - 1);
    expect(settled).toBe(false);
    await clock.advance(1);
    await failed;
  });

  it('lets the failure stand where it is run itself, and nothing stands in otherwise', () => {
    const { run } = staleIfError({ maxAge: '1m', maxEntries: 1 });
    const failure = spillwayError('ERR_UPSTREAM', 'down');
    expect(() => run(failure, {} as never)).toThrow(failure);
  });

  it('leaves out what it was not told, for the defaults to hold', () => {
    const age = { maxAge: '1m', maxEntries: 1 } as const;
    expect(Object.keys(staleIfError(age))).toEqual(['run']);
    expect(staleIfError({ ...age, timeout: 5, mark: false })).toMatchObject({ timeout: 5, mark: false });
  });

  it('forgets what it kept on reset', async () => {
    const { ask, spillway } = scene(staleIfError({ maxAge: '1m', maxEntries: 2 }));
    await ask(() => 'kept');
    spillway.reset();
    await expect(ask(down)).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
  });

  it('keeps apart what two spillways of one configuration learn', async () => {
    const fallback: FallbackOptions<string> = staleIfError({ maxAge: '1m', maxEntries: 2 });
    const [one, other] = [scene(fallback), scene(fallback)];
    await one.ask(() => 'of one');
    await expect(other.ask(down)).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
  });

  it.each([1, 1_000_000])('may keep %s answers', (maxEntries) => {
    expect(staleIfError({ maxAge: '1m', maxEntries })).toMatchObject({ run: expect.any(Function) });
  });

  it.each([0, -1, 1.5, 1_000_001, Number.NaN])('refuses to keep %s answers', (maxEntries) => {
    expect(() => staleIfError({ maxAge: '1m', maxEntries })).toThrow(/staleIfError.maxEntries/);
  });

  it('refuses an age that is none, by name', () => {
    expect(() => staleIfError({ maxAge: 'soon', maxEntries: 1 } as never)).toThrow(/staleIfError.maxAge/);
  });
});
