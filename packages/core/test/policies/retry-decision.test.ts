import { describe, expect, test } from '@jest/globals';
import type { Attempt } from '../../src/call/attempt.js';
import { type Judgement, judge } from '../../src/call/judgement.js';
import type { OperationCall } from '../../src/pipeline/operation-call.js';
import { decideRetry } from '../../src/policies/retry-decision.js';

const NOW = 10_000;

interface Given {
  readonly judgement?: Judgement;
  /** Number of the attempt that failed. */
  readonly number?: number;
  readonly idempotent?: boolean;
  readonly keyed?: boolean;
  /** Of the call. */
  readonly own?: false | { readonly attempts?: number };
  readonly retry?: Readonly<Record<string, unknown>> | null;
  readonly phase?: string;
  readonly leftMs?: number;
  readonly refuses?: boolean;
  readonly mode?: string;
  readonly breaker?: false;
  readonly breakers?: Readonly<Record<string, unknown>> | null;
}

/** Three attempts, a backoff of 100 ms, Retry-After up to 1,000 ms, attempt.min 50 ms; the die shows a half. */
function decide(given: Given): unknown {
  const retry = { attempts: 3, maxRetryAfterMs: 1000, backoff: () => 100, owner: 'here', ...given.retry };
  const breakers = { options: { observes: 'attempts', waitMs: 0, ...given.breakers } };
  const machine = { refusesNow: (now: number) => now === NOW && given.refuses === true };
  const op = {
    workUntil: NOW + (given.leftMs ?? 5000),
    breaker: given.breaker === false ? undefined : { mode: given.mode ?? 'enforce', machine },
    spec: {
      idempotent: given.idempotent ?? true,
      keyed: given.keyed ?? false,
      options: { retry: given.own },
    },
    runtime: {
      random: () => 0.5,
      phase: { current: given.phase ?? 'open' },
      breakers: given.breakers === null ? undefined : breakers,
      options: { attempt: { minMs: 50 }, retry: given.retry === null ? undefined : retry },
    },
  };
  const attempt = { number: given.number ?? 1, judgement: given.judgement ?? judge('server-error') };
  return decideRetry(op as unknown as OperationCall, attempt as unknown as Attempt, NOW, 0);
}

const asked = (retryAfterMs: number) => judge('throttled', { retryAfterMs });

describe('an attempt is followed by another', () => {
  test.each<[string, Given]>([
    ['after an error of the server', {}],
    ['for a key', { idempotent: false, keyed: true }],
    ['of any method, when it was not sent', { idempotent: false, judgement: judge('unsent') }],
    ['of any method, while its key is in progress', { idempotent: false, judgement: judge('in-progress') }],
    ['until all have been made', { number: 2 }],
    ['as often as its call says', { number: 3, own: { attempts: 4 } }],
    ['as often as its dependency says, when its call does not', { number: 2, own: {} }],
    [
      'whatever the answer advises, where it is ignored',
      { retry: { owner: 'ignore' }, judgement: judge('server-error', { shouldRetry: false }) },
    ],
    ['where no breaker is', { breakers: null, refuses: true }],
    ['where none is for it', { breaker: false, refuses: true }],
    ['where its breaker only observes', { mode: 'observe', refuses: true }],
    ['where its breaker looks at operations', { breakers: { observes: 'operations' }, refuses: true }],
    ['where it waits for its breaker', { breakers: { waitMs: 1 }, refuses: true }],
  ])('%s', (_, given) => {
    expect(decide(given)).toBe(100);
  });
});

describe('an attempt is the last', () => {
  test.each<[string, string, Given]>([
    ['when no retry could mend it', 'not-retryable', { judgement: judge('server-fault') }],
    ['when it may not be repeated', 'not-idempotent', { idempotent: false }],
    [
      'when its call threw and nobody said it may be repeated',
      'not-idempotent',
      { idempotent: false, judgement: judge('thrown') },
    ],
    ['when its body is gone', 'body-not-replayable', { judgement: judge('reset', { replayable: false }) }],
    ['when whoever called retries', 'owner', { retry: { owner: 'above' } }],
    [
      'when it has been retried below',
      'should-retry',
      { judgement: judge('server-error', { shouldRetry: false }) },
    ],
    [
      'when it has been retried below, and would not have been here',
      'should-retry',
      { judgement: judge('server-error', { shouldRetry: false }), retry: null },
    ],
    ['when the dependency has no retry', 'attempts', { retry: null }],
    ['when all have been made', 'attempts', { number: 3 }],
    ['when its call wants none', 'attempts', { own: false }],
    ['when its call wants fewer', 'attempts', { number: 2, own: { attempts: 2 } }],
    ['when the spillway drains', 'closed', { phase: 'draining' }],
    ['when the breaker would refuse it', 'breaker', { refuses: true }],
  ])('%s', (_, wanted, given) => {
    expect(decide(given)).toBe(wanted);
  });
});

describe('the wait', () => {
  test.each<[string, Given, unknown]>([
    ['fits exactly into the time left', { leftMs: 150 }, 100],
    ['does not fit', { leftMs: 149 }, 'deadline'],
    ['does not fit, whatever the breaker says', { leftMs: 149, refuses: true }, 'deadline'],
    ['is what was asked for, and a little more', { judgement: asked(200) }, 210],
    [
      'is never less than was asked for, and never more than there is room',
      { judgement: asked(200), leftMs: 255 },
      205,
    ],
    ['is what was asked for where there is no room for more', { judgement: asked(200), leftMs: 250 }, 200],
    ['asked for does not fit', { judgement: asked(200), leftMs: 249 }, 'retry-after'],
    ['asked for is the longest', { judgement: asked(1000) }, 1050],
    ['asked for is too long', { judgement: asked(1001) }, 'retry-after'],
    ['asked for is shorter than the backoff', { judgement: asked(99) }, 100],
    ['asked for is the backoff', { judgement: asked(100) }, 105],
    [
      'of the backoff does not fit, though what was asked for would',
      { judgement: asked(60), leftMs: 149 },
      'deadline',
    ],
    ['of the backoff fits just so', { judgement: asked(60), leftMs: 150 }, 100],
    ['of nothing is spread over a millisecond', { judgement: asked(0) }, 0.5],
    ['of a little is spread by as much', { judgement: asked(4), retry: { backoff: () => 0 } }, 4.5],
  ])('%s', (_, given, wanted) => {
    expect(decide(given)).toBe(wanted);
  });

  test('of a function is told which retry it is for, and after what', () => {
    const seen: unknown[] = [];
    const backoff = (facts: unknown) => {
      seen.push(facts);
      return 7;
    };
    expect(decide({ number: 2, retry: { backoff } })).toBe(7);
    expect(seen).toEqual([{ retry: 1, kind: 'server-error' }]);
  });

  test('of a schedule goes by the number of the retry and by chance', () => {
    const backoff = { baseMs: 100, capMs: 10_000, factor: 2, jitter: 'full' };
    const [first, third] = [1, 2].map((number) => decide({ number, retry: { backoff } })) as [number, number];
    expect(first).toBe(50);
    expect(third).toBe(100);
  });
});
