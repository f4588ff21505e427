import { describe, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { manualClock, withForcedOpen } from '../../src/index.js';

const breaker = { consecutive: 1, openFor: '10s', jitter: 0 } as const;

function make() {
  const clock = manualClock();
  const spillway = createSpillway(
    { dependencies: { quotes: { retry: false, breaker }, db: {}, bare: { breaker: false } } },
    { clock },
  );
  const quotes = spillway.dependency('quotes');
  return { clock, spillway, quotes, call: () => quotes.call(() => 'fresh') };
}

describe('while it runs', () => {
  test('Every call is refused, and afterwards passes again.', async () => {
    const { spillway, call } = make();
    const inside = await withForcedOpen(spillway, 'quotes', async () => {
      await expect(call()).rejects.toMatchObject({ code: 'ERR_BREAKER_OPEN' });
      return 'what run returned';
    });
    expect(inside).toBe('what run returned');
    expect(await call()).toBe('fresh');
  });

  test('Other dependencies go on.', async () => {
    const { spillway } = make();
    const answer = withForcedOpen(spillway, 'quotes', () => spillway.dependency('db').call(() => 'row'));
    expect(await answer).toBe('row');
  });

  test('An assertion that fails inside comes out, and the breaker is put back.', async () => {
    const { spillway, quotes } = make();
    const broken = new Error('expected 200, got 503');
    const run = withForcedOpen(spillway, 'quotes', () => {
      throw broken;
    });
    await expect(run).rejects.toBe(broken);
    expect(quotes.breaker.state).toBe('closed');
  });

  test('A dependency without a breaker cannot be forced.', async () => {
    const { spillway } = make();
    await expect(withForcedOpen(spillway, 'bare', () => 1)).rejects.toMatchObject({ code: 'ERR_CONFIG' });
  });

  test('A misspelt name does not compile, and is refused.', async () => {
    const { spillway } = make();
    // @ts-expect-error: no dependency of that name
    const run = withForcedOpen(spillway, 'qoutes', () => 1);
    await expect(run).rejects.toMatchObject({ code: 'ERR_UNKNOWN_DEPENDENCY' });
  });
});

describe('what it puts back', () => {
  test('Nested use stays open until the outermost has ended.', async () => {
    const { spillway, quotes } = make();
    const states = await withForcedOpen(spillway, 'quotes', async () => {
      await withForcedOpen(spillway, 'quotes', () => undefined);
      return quotes.breaker.state;
    });
    expect([states, quotes.breaker.state]).toEqual(['forced-open', 'closed']);
  });

  test('Of two at once, the last to end puts it back.', async () => {
    const { spillway, quotes } = make();
    let endFirst: () => void = () => undefined;
    const first = withForcedOpen(
      spillway,
      'quotes',
      () => new Promise<void>((resolve) => (endFirst = resolve)),
    );
    let endSecond: () => void = () => undefined;
    const second = withForcedOpen(
      spillway,
      'quotes',
      () => new Promise<void>((resolve) => (endSecond = resolve)),
    );
    endFirst();
    await first;
    expect(quotes.breaker.state).toBe('forced-open');
    endSecond();
    await second;
    expect(quotes.breaker.state).toBe('closed');
  });

  test('A breaker that was forced open or disabled before is so again.', async () => {
    const { spillway, quotes } = make();
    quotes.breaker.forceOpen();
    await withForcedOpen(spillway, 'quotes', () => quotes.breaker.reset());
    expect(quotes.breaker.state).toBe('forced-open');
    quotes.breaker.disable();
    await withForcedOpen(spillway, 'quotes', () => undefined);
    expect(quotes.breaker.state).toBe('disabled');
  });

  test('A breaker that was open before is open again, for the time that is left.', async () => {
    const { clock, spillway, quotes } = make();
    const failing = quotes.call(() => Promise.reject(new Error('down')));
    await expect(failing).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
    await clock.advance(4_000);
    await withForcedOpen(spillway, 'quotes', () => clock.advance(1_000));
    expect(quotes.breaker.state).toBe('open');
    expect(quotes.breaker.retryAfterMs).toBe(5_000);
  });
});
