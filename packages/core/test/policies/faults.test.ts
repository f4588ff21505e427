import { afterEach, describe, expect, test } from '@jest/globals';
import {
  createSpillway,
  type DependencyConfig,
  type Fault,
  type SpillwayConfig,
  type SpillwayEvent,
  seededRandom,
  VirtualClock,
} from '../../src/index.js';

const ONCE: DependencyConfig = { retry: false, breaker: false };

/** A dependency that always answers 'fine', under virtual time. */
function scene(
  quotes: DependencyConfig = ONCE,
  { link, ...config }: SpillwayConfig & { link?: 'layered' | undefined } = {},
) {
  const clock = new VirtualClock();
  const events: SpillwayEvent[] = [];
  let asked = 0;
  const spillway = createSpillway<{ quotes: unknown }>(
    { ...config, dependencies: { quotes } },
    {
      clock,
      random: seededRandom(7),
      observers: [(event) => events.push(event)],
      ...(link === undefined ? {} : { link }),
    },
  );
  const dependency = spillway.dependency('quotes');
  const work = () => {
    asked++;
    return 'fine';
  };
  const ask = (options = {}) => dependency.settle<unknown>(work, { idempotent: true, ...options });
  return { clock, events, spillway, dependency, ask, asked: () => asked };
}

/** The outcome, once virtual time has gone as far as it takes. */
async function after<T>(clock: VirtualClock, ms: number, outcome: Promise<T>): Promise<T> {
  await clock.advance(ms);
  return outcome;
}

describe.each([undefined, 'layered'] as const)('a fault, with link %s', (link) => {
  test('with a status is read by the outcome table as an answer', async () => {
    const { dependency, ask, asked, events } = scene(ONCE, { link });
    dependency.inject({ status: 503 });
    expect((await ask()).error).toMatchObject({ code: 'ERR_UPSTREAM', status: 503, sent: 'answered' });
    expect(asked()).toBe(0);
    expect(events.filter(({ type }) => /attempt|fault/.test(type))).toEqual([
      expect.objectContaining({ type: 'attempt.start' }),
      expect.objectContaining({ type: 'fault.injected', attempt: 1, operation: 'call', fault: 'status' }),
      expect.objectContaining({ type: 'attempt.end', kind: 'server-error', result: 'failure', status: 503 }),
    ]);
  });

  test('with a good status hands a function a Response of it', async () => {
    const { dependency, ask } = scene(ONCE, { link });
    dependency.inject({ status: 404 });
    expect((await ask()).value).toMatchObject({ status: 404 });
  });

  test('with latency makes the dependency late', async () => {
    const { clock, dependency, ask, asked, events } = scene(ONCE, { link });
    dependency.inject({ latency: '200ms' });
    const outcome = ask();
    await clock.advance(199);
    expect(asked()).toBe(0);
    expect(await after(clock, 1, outcome)).toMatchObject({ ok: true, value: 'fine' });
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({ durationMs: 200 });
  });

  test("with more latency than the attempt's timeout is cut by it, and gives its unit back", async () => {
    const policy = { ...ONCE, attempt: { timeout: '100ms' }, bulkhead: { concurrent: 1, queue: 0 } } as const;
    const { clock, spillway, dependency, ask, asked, events } = scene(policy, { link });
    dependency.inject({ latency: '1h' });
    const outcome = await after(clock, 100, ask());
    expect(outcome.error).toMatchObject({ code: 'ERR_UPSTREAM', status: 504, sent: 'maybe' });
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({ kind: 'timeout' });
    expect(spillway.snapshot().dependencies[0]?.bulkhead).toMatchObject({ inUse: 0, detached: 0 });
    expect(asked()).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('is cut by cancellation, with its reason', async () => {
    const { clock, dependency, ask } = scene(ONCE, { link });
    dependency.inject({ latency: '1s' });
    const controller = new AbortController();
    const outcome = ask({ signal: controller.signal });
    await clock.advance(10);
    controller.abort('gone');
    expect(await outcome).toEqual({ ok: false, error: 'gone', value: undefined });
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['ECONNREFUSED', 'unsent', 503],
    ['ECONNRESET', 'reset', 502],
  ])('with %s is a failed connection', async (error, kind, status) => {
    const { dependency, ask, events } = scene(ONCE, { link });
    dependency.inject({ error });
    expect((await ask()).error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status,
      cause: { cause: { code: error } },
    });
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({ kind });
  });

  test('with an Error throws that', async () => {
    const { dependency, ask } = scene(ONCE, { link });
    const error = new Error('duplicate key');
    dependency.inject({ error, latency: 0 });
    expect((await ask({ unwrap: true })).error).toBe(error);
  });

  test('befalls its share of the attempts', async () => {
    const { dependency, ask, asked } = scene(ONCE, { link });
    const fault = dependency.inject({ status: 500, share: 0.25 });
    for (let call = 0; call < 400; call++) await ask();
    expect(fault.struck).toBeGreaterThan(70);
    expect(fault.struck).toBeLessThan(130);
    expect(asked()).toBe(400 - fault.struck);
  });

  test('is retried, counted against the budget, and opens the breaker', async () => {
    const retry = {
      attempts: 3,
      backoff: { base: 0, jitter: 'none' },
      budget: { ratio: 0, minPerSecond: 0.2 },
    };
    const policy = { retry, breaker: { consecutive: 5, jitter: 0 } } as DependencyConfig;
    const { clock, dependency, ask, events } = scene(policy, { link });
    const fault = dependency.inject({ status: 500 });
    expect((await after(clock, 1, ask())).error).toMatchObject({ stopped: 'attempts', attempts: 3 });
    expect((await after(clock, 1, ask())).error).toMatchObject({ stopped: 'budget', attempts: 1 });
    expect((await after(clock, 1, ask())).error).toMatchObject({ code: 'ERR_UPSTREAM' });
    expect(dependency.breaker.state).toBe('open');
    expect((await ask()).error).toMatchObject({ code: 'ERR_BREAKER_OPEN' });
    expect(fault.struck).toBe(5);
    fault.undo();
    await clock.advance(5000);
    for (let probe = 0; probe < 3; probe++) expect(await ask()).toMatchObject({ ok: true });
    const states = events.flatMap((event) => (event.type === 'breaker.transition' ? [event.to] : []));
    expect(states).toEqual(['open', 'half-open', 'closed']);
  });
});

describe('a fault ends', () => {
  test('at its time, and leaves no timer', async () => {
    const { clock, spillway, dependency, ask } = scene();
    const fault = dependency.inject({ status: 500, until: '1m' });
    expect(spillway.snapshot().dependencies[0]?.faults).toEqual([
      expect.objectContaining({ kind: 'status', share: 1, status: 500, leftMs: 60_000, struck: 0 }),
    ]);
    await clock.advance(59_999);
    expect((await ask()).ok).toBe(false);
    expect(fault.active).toBe(true);
    await clock.advance(1);
    expect((await ask()).ok).toBe(true);
    expect(fault).toMatchObject({ active: false, struck: 1 });
    expect(spillway.snapshot().dependencies[0]?.faults).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('at an instant of the wall clock', async () => {
    const { clock, dependency, ask } = scene();
    dependency.inject({ error: 'ECONNRESET', until: new Date(clock.wall() + 500) });
    await clock.advance(499);
    expect((await ask()).ok).toBe(false);
    await clock.advance(1);
    expect((await ask()).ok).toBe(true);
  });

  test('when it is undone, the others going on', async () => {
    const { dependency, ask } = scene();
    const first = dependency.inject({ status: 500, until: '1h' });
    const second = dependency.inject({ status: 429 });
    expect((await ask()).error).toMatchObject({ status: 502 });
    first.undo();
    first.undo();
    expect((await ask()).error).toMatchObject({ status: 503 });
    second.undo();
    expect((await ask()).ok).toBe(true);
    expect([first.active, second.active]).toEqual([false, false]);
  });

  test.each(['reset', 'close'] as const)('with %s()', async (end) => {
    const { clock, spillway, dependency } = scene();
    const fault = dependency.inject({ status: 500, until: '1h' });
    spillway[end]();
    expect(fault.active).toBe(false);
    expect(clock.pending).toBe(0);
  });
});

describe('a fault that makes no sense is refused', () => {
  const past = new Date(0);
  test.each<[Fault, string]>([
    [{}, 'one with latency, status or error'],
    [{ share: 0, status: 500 }, 'share is 0, allowed is above 0 up to 1'],
    [{ share: 1.1, status: 500 }, 'share is 1.1'],
    [{ latency: 'soon' as '1s' }, "latency is 'soon', allowed is a duration"],
    [{ status: 199 }, 'status is 199, allowed is a whole number from 200 to 599'],
    [{ error: 'no code' }, "error is 'no code', allowed is a code"],
    [{ status: 500, error: 'ECONNRESET' }, 'nothing beside error'],
    [{ status: 500, until: 0 }, 'until is 0, allowed is a duration above 0'],
    [{ status: 500, until: past }, 'until is 1970-01-01T00:00:00.000Z, allowed is a duration above 0'],
    [{ status: 500, until: new Date(Number.NaN) }, 'until is no date, allowed is a duration above 0'],
    [{ status: 500, until: null } as unknown as Fault, 'until is null, allowed is a duration above 0'],
    [{ status: 500, until: {} } as unknown as Fault, 'until is an object, allowed is a duration above 0'],
    [{ error: { name: 5, message: {} } } as unknown as Fault, 'error is an object, allowed is a code'],
    [null as unknown as Fault, 'the fault is null, allowed is an object'],
    [undefined as unknown as Fault, 'the fault is undefined, allowed is an object'],
    [{ stauts: 500 } as Fault, "an option is 'stauts', allowed is share, latency"],
  ])('%j', (fault, message) => {
    const { dependency, spillway } = scene();
    expect(() => dependency.inject(fault)).toThrow(message);
    expect(spillway.snapshot().dependencies[0]?.faults).toEqual([]);
  });

  test('after close() too: no attempt could suffer it', () => {
    const { dependency, spillway } = scene();
    spillway.close();
    expect(() => dependency.inject({ status: 500 })).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }));
    expect(spillway.snapshot().dependencies[0]?.faults).toEqual([]);
  });

  test('a transport that cannot pretend says so', async () => {
    const { dependency } = scene();
    dependency.inject({ status: 500 });
    const judgement = { kind: 'misuse', retry: 'never', breaker: 'ignored', fallback: false } as const;
    const outcome = await dependency.run({
      operation: 'odd',
      method: undefined,
      path: undefined,
      origin: undefined,
      idempotent: false,
      keyed: false,
      options: {},
      work: () => 'fine',
      judge: () => ({ ...judgement, caller: 'itself', sent: 'no' }),
    });
    expect(outcome.error).toMatchObject({
      code: 'ERR_CONFIG',
      message:
        'inject into quotes: its transport cannot pretend an answer; inject latency alone, or give its operations a pretend()',
      dependency: 'quotes',
      operation: 'odd',
    });
  });
});

describe('in production', () => {
  const before = process.env['NODE_ENV'];

  afterEach(() => {
    process.env['NODE_ENV'] = before;
  });

  test('faults are refused unless the configuration allows them', () => {
    process.env['NODE_ENV'] = 'production';
    expect(() => scene().dependency.inject({ status: 500 })).toThrow(
      "NODE_ENV is 'production'; write faults",
    );
    expect(scene(ONCE, { faults: 'always' }).dependency.inject({ status: 500 }).active).toBe(true);
  });

  test("'never' refuses them everywhere", () => {
    process.env['NODE_ENV'] = 'test';
    expect(() => scene(ONCE, { faults: 'never' }).dependency.inject({ status: 500 })).toThrow("'never'");
    expect(scene().dependency.inject({ status: 500 }).active).toBe(true);
  });
});
