import { describe, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { type FieldLogger, logEvents } from '@spillway/telemetry/log';
import { pino } from 'pino';
import { failing, type Line, logged } from './logged.js';

const IDEMPOTENT = { idempotent: true } as const;

function eventsOf(lines: readonly Line[]) {
  return lines.map(({ event, level }) => `${level} ${event}`);
}

describe('an operation that recovers', () => {
  test('is a line for each attempt, each decision, and its end', async () => {
    const { clock, spillway, lines } = logged();
    const done = spillway.dependency('db').call(failing(1), IDEMPOTENT);
    await clock.runToIdle();
    await done;
    expect(eventsOf(lines)).toEqual([
      'warn attempt.end',
      'info retry.scheduled',
      'debug attempt.end',
      'debug operation.end',
    ]);
  });

  test('says of each attempt all that is known of it', async () => {
    const { clock, spillway, of } = logged({ deadline: '2s', attempt: { timeout: '400ms' } });
    const done = spillway
      .dependency('db')
      .call(failing(1), { idempotencyKey: 'order-1', operation: 'charge' });
    await clock.runToIdle();
    await done;
    const common = {
      service: 'shop',
      dependency: 'db',
      operation: 'charge',
      operation_id: 1,
      idempotency_key_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      max_total_attempts: 3,
      attempt_timeout_ms: 400,
      breaker_state: 'closed',
      breaker_decision: 'allowed',
    };
    expect(of('attempt.end')).toEqual([
      {
        ...common,
        level: 'warn',
        time: clock.wall() - 100,
        event: 'attempt.end',
        attempt_number: 1,
        remaining_deadline_ms: 2000,
        elapsed_total_ms: 0,
        duration_ms: 0,
        outcome: 'failure',
        kind: 'thrown',
        sent: 'maybe',
        retryable: true,
      },
      {
        ...common,
        level: 'debug',
        time: clock.wall(),
        event: 'attempt.end',
        attempt_number: 2,
        retry_reason: 'thrown',
        backoff_ms: 100,
        remaining_deadline_ms: 1900,
        elapsed_total_ms: 100,
        duration_ms: 0,
        outcome: 'success',
        kind: 'answer',
        sent: 'answered',
        retryable: false,
      },
    ]);
  });

  test('gives the reason and the wait of its retry, under the number of the attempt to come', async () => {
    const { clock, spillway, of } = logged();
    const done = spillway.dependency('db').call(failing(2), IDEMPOTENT);
    await clock.runToIdle();
    await done;
    expect(of('retry.scheduled')).toMatchObject([
      { attempt_number: 2, retry_reason: 'thrown', backoff_ms: 100 },
      { attempt_number: 3, retry_reason: 'thrown', backoff_ms: 200, elapsed_total_ms: 100 },
    ]);
  });
});

describe('how an operation ends', () => {
  test('in failure, is an error that names its code and why there was no further attempt', async () => {
    const { clock, spillway, of } = logged();
    const done = spillway.dependency('db').settle(failing(9), IDEMPOTENT);
    await clock.runToIdle();
    await done;
    expect(of('operation.end')).toMatchObject([
      {
        level: 'error',
        outcome: 'failed',
        code: 'ERR_UPSTREAM',
        stopped: 'attempts',
        sent: 'maybe',
        attempts: 3,
      },
    ]);
    expect(of('retry.stopped')).toMatchObject([{ level: 'info', stopped: 'attempts' }]);
  });

  test('in refusal, is a warning, and the breaker’s state and decision stand with it', async () => {
    const { spillway, lines } = logged();
    spillway.dependency('db').breaker.forceOpen();
    lines.length = 0;
    await spillway.dependency('db').settle(failing(0));
    expect(lines).toMatchObject([
      { level: 'info', event: 'breaker.refused', breaker_state: 'forced-open', breaker_decision: 'refused' },
      {
        level: 'warn',
        event: 'operation.end',
        outcome: 'refused',
        attempts: 0,
        breaker_state: 'forced-open',
        breaker_decision: 'refused',
      },
    ]);
  });

  test('degraded, is a warning, after the fallback that did it', async () => {
    const { spillway, lines } = logged();
    await spillway.dependency('db').call(failing(9), { fallback: () => 'stale' });
    expect(eventsOf(lines).slice(-2)).toEqual(['info fallback.used', 'warn operation.end']);
  });

  test('cancelled, is for information', async () => {
    const { spillway, of } = logged();
    await spillway.dependency('db').settle(failing(0), { signal: AbortSignal.abort(new Error('gone')) });
    expect(of('operation.end')).toMatchObject([{ level: 'info', outcome: 'cancelled' }]);
  });

  test('and work that comes back after that, still tells which operation it was of', async () => {
    const { clock, spillway, of } = logged({ attempt: { timeout: '50ms' }, retry: false });
    let wake: (value: number) => void = () => undefined;
    const done = spillway.dependency('db').settle(
      () =>
        new Promise<number>((resolve) => {
          wake = resolve;
        }),
    );
    await clock.advance(50);
    await done;
    wake(1);
    await clock.advance(10);
    expect(of('attempt.wasted')).toMatchObject([
      { operation_id: 1, attempt_number: 1, dependency: 'db', operation: 'call' },
    ]);
  });
});

test('a breaker that opens is a warning, one that closes is none', async () => {
  const { spillway, of } = logged();
  spillway.dependency('db').breaker.forceOpen();
  spillway.dependency('db').breaker.forceClose();
  expect(of('breaker.transition')).toMatchObject([
    { level: 'warn', dependency: 'db', to: 'forced-open' },
    { level: 'info', from: 'forced-open', to: 'closed' },
  ]);
});

describe('levels', () => {
  test('by default, a call that goes well writes nothing', async () => {
    const lines: string[] = [];
    const { spillway } = logged({}, {
      level: undefined,
      write: (line: string) => void lines.push(line),
    } as never);
    await spillway.dependency('db').call(failing(0));
    expect(lines).toEqual([]);
  });

  test.each([
    ['info', ['warn', 'info', 'warn', 'info', 'warn', 'info', 'error']],
    ['warn', ['warn', 'warn', 'warn', 'error']],
    ['error', ['error']],
  ] as const)('from %s on, lines are those that matter so much', async (level, expected) => {
    const { clock, spillway, lines } = logged({}, { level });
    const done = spillway.dependency('db').settle(failing(9), IDEMPOTENT);
    await clock.runToIdle();
    await done;
    expect(lines.map((line) => line['level'])).toEqual(expected);
  });
});

describe('sampling', () => {
  async function run(sample: number, works: () => () => Promise<string>) {
    const scene = logged({ breaker: false }, { sample });
    for (let i = 0; i < 400; i++) {
      const done = scene.spillway.dependency('db').settle(works(), IDEMPOTENT);
      await scene.clock.runToIdle();
      await done;
    }
    return scene;
  }

  test('keeps all lines of a share of the operations that go well', async () => {
    const { of } = await run(0.25, () => failing(0));
    const ends = of('operation.end').map((line) => line['operation_id']);
    expect(ends.length).toBeGreaterThan(80);
    expect(ends.length).toBeLessThan(120);
    expect(of('attempt.end').map((line) => line['operation_id'])).toEqual(ends);
  });

  test('never drops a warning or an error', async () => {
    const { of } = await run(0, () => failing(9));
    expect(of('operation.end')).toHaveLength(400);
    expect(of('attempt.end')).toHaveLength(1200);
    expect(of('retry.scheduled')).toEqual([]);
  });
});

describe('a logger', () => {
  test('of pino gets fields and the event’s name as the message, at its own level', async () => {
    const written: Line[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void written.push(JSON.parse(line)) });
    const { clock, spillway } = logged({}, { write: undefined, level: undefined, logger } as never);
    const done = spillway.dependency('db').settle(failing(9), IDEMPOTENT);
    await clock.runToIdle();
    await done;
    expect(written.map(({ level, msg }) => [level, msg])).toEqual([
      [40, 'attempt.end'],
      [40, 'attempt.end'],
      [40, 'attempt.end'],
      [50, 'operation.end'],
    ]);
    expect(written[3]).toMatchObject({ service: 'shop', outcome: 'failed', dependency: 'db' });
  });

  test('that throws loses its lines, is counted once for each, and no request notices', async () => {
    let asked = 0;
    const write = () => {
      asked++;
      throw new Error('disk full');
    };
    const { spillway } = logged({}, { write });
    await expect(spillway.dependency('db').call(failing(0))).resolves.toBe('fine');
    expect(asked).toBe(2);
    expect(spillway.snapshot().observerFailures).toBe(2);
  });

  test('is told nothing more once it is stopped', async () => {
    const { spillway, lines, stop } = logged();
    stop();
    await spillway.dependency('db').call(failing(0));
    expect(lines).toEqual([]);
  });
});

test('no line shows a key or the text of an error', async () => {
  const { clock, spillway, lines } = logged();
  const done = spillway.dependency('db').settle(failing(9), { idempotencyKey: 'hunter2' });
  await clock.runToIdle();
  await done;
  expect(lines.length).toBeGreaterThan(5);
  expect(JSON.stringify(lines)).not.toContain('hunter2');
});

test('times without bound are left out', async () => {
  const { spillway, of } = logged({ deadline: false, attempt: { timeout: false } });
  await spillway.dependency('db').call(failing(0));
  const [line] = of('attempt.end');
  expect(line).not.toHaveProperty('remaining_deadline_ms');
  expect(line).not.toHaveProperty('attempt_timeout_ms');
});

describe('options that are refused', () => {
  const spillway = createSpillway({});
  const write = () => undefined;
  const logger = {} as FieldLogger;

  test.each<[string, object, RegExp]>([
    ['nowhere to write', {}, /either `write`/],
    ['two places to write to', { write, logger }, /either `write`/],
    ['an unknown level', { write, level: 'loud' }, /'loud' is none of debug, info, warn, error/],
    ['a sample that is no share', { write, sample: 25 }, /25 is no share/],
    ['a sample in words', { write, sample: '0.5' }, /0.5 is no share/],
    ['a word for errorText', { write, errorText: 'yes' }, /errorText: 'yes' is neither/],
    ['a logger that cannot log', { logger }, /logger: it has no debug\(\)/],
    ['an option that is none', { write, sampel: 1 }, /sampel is no option; there are level, sample/],
  ])('%s', (_name, options, message) => {
    expect(() => logEvents(spillway, options as never)).toThrow(message);
    expect(() => logEvents(spillway, options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG' }),
    );
  });
});
