import { describe, expect, test } from '@jest/globals';
import type { Attempt } from '../../src/call/attempt.js';
import { type Judgement, judge } from '../../src/call/judgement.js';
import { failure, type Outcome, success } from '../../src/call/outcome.js';
import type { OutcomeKind } from '../../src/call/outcome-table.js';
import type { Classify, ClassifyContext, Verdict } from '../../src/config/types.js';
import type { OperationFacts } from '../../src/pipeline/operation-call.js';
import { cutThresholdMs, deadlineExceeded, override, timeUp } from '../../src/policies/verdicts.js';

interface Given {
  readonly slowOverMs?: number;
  readonly meanMs?: number;
  readonly retryStatuses?: readonly number[];
  readonly breakerStatuses?: readonly number[];
  readonly classify?: Classify;
  readonly ownClassify?: Classify;
  readonly idempotent?: boolean;
  readonly keyed?: boolean;
}

/** What is read of an operation: attempt.timeout 1,000 ms, attempt.min 50 ms, two attempts made. */
function operation(given: Given = {}): OperationFacts {
  return {
    attempts: 2,
    breaker: { machine: { meanSuccessMs: given.meanMs } },
    runtime: {
      name: 'db',
      options: {
        attempt: { timeoutMs: 1000, minMs: 50 },
        retry: given.retryStatuses && { statuses: given.retryStatuses },
        breaker: {
          ...(given.breakerStatuses && { statuses: given.breakerStatuses }),
          ...(given.slowOverMs !== undefined && { slow: { overMs: given.slowOverMs } }),
        },
        classify: given.classify,
      },
    },
    spec: {
      operation: 'read',
      method: 'GET',
      path: '/a',
      idempotent: given.idempotent ?? false,
      keyed: given.keyed ?? false,
      options: { classify: given.ownClassify },
    },
  } as unknown as OperationFacts;
}

function attempt(facts: { sent?: string; waiting?: boolean } = {}): Attempt {
  return { number: 3, sent: 'maybe', waiting: false, ...facts } as unknown as Attempt;
}

describe('an attempt that its time cut short counts against the dependency from', () => {
  test.each([
    ['what slow calls take', { slowOverMs: 400, meanMs: 1 }, 400],
    ['attempt.min where slow calls take less', { slowOverMs: 10 }, 50],
    ['half of its timeout where nothing is known', {}, 500],
    ['five times the mean success', { meanMs: 60 }, 300],
    ['half of its timeout where five times the mean is more', { meanMs: 200 }, 500],
    ['attempt.min where five times the mean is less', { meanMs: 1 }, 50],
  ])('%s', (_, given, ms) => {
    expect(cutThresholdMs(operation(given))).toBe(ms);
  });
});

describe('when the time of an attempt is up', () => {
  test.each([
    ['its own timeout', 1000, {}, 'ERR_ATTEMPT_TIMEOUT', 'timeout', 'failure'],
    ['more than its own timeout', 1200, {}, 'ERR_ATTEMPT_TIMEOUT', 'timeout', 'failure'],
    ['its own timeout, unsent', 1000, { sent: 'no' }, 'ERR_ATTEMPT_TIMEOUT', 'unsent', 'failure'],
    [
      'its own timeout, while it waited',
      1000,
      { waiting: true },
      'ERR_ATTEMPT_TIMEOUT',
      'timeout',
      'ignored',
    ],
    [
      'its own timeout, as it was being answered',
      1000,
      { sent: 'answered' },
      'ERR_ATTEMPT_TIMEOUT',
      'timeout',
      'failure',
    ],
    ['the deadline, unsent', 999, { sent: 'no' }, 'ERR_DEADLINE_EXCEEDED', 'cut-late', 'failure'],
    ['the deadline, late', 999, {}, 'ERR_DEADLINE_EXCEEDED', 'cut-late', 'failure'],
    ['the deadline, at the threshold', 500, {}, 'ERR_DEADLINE_EXCEEDED', 'cut-late', 'failure'],
    ['the deadline, early', 499, {}, 'ERR_DEADLINE_EXCEEDED', 'cut-early', 'ignored'],
    [
      'the deadline, while it waited',
      999,
      { waiting: true },
      'ERR_DEADLINE_EXCEEDED',
      'cut-early',
      'ignored',
    ],
  ])('by %s', (_, granted, facts, code, kind, breaker) => {
    const tried = attempt(facts);
    const { error, judgement } = timeUp(operation(), tried, granted);
    expect(error).toMatchObject({ code, dependency: 'db', operation: 'read', sent: tried.sent });
    expect(judgement).toMatchObject({ kind, breaker, sent: tried.sent });
  });

  test('the error says whose time it was', () => {
    const { error } = timeUp(operation(), attempt(), 1000);
    expect(error.message).toBe('db did not answer within its attempt timeout of 1000 ms');
    expect(deadlineExceeded(operation(), 'no')).toMatchObject({
      message: 'The time for db is up',
      code: 'ERR_DEADLINE_EXCEEDED',
      attempts: 2,
      sent: 'no',
    });
  });
});

const FAILING: Partial<Judgement> = { caller: 'upstream', fallback: true };

describe('listed statuses', () => {
  const rows: [string, Given, OutcomeKind, number | undefined, Partial<Judgement>][] = [
    [
      'make an answer a failure worth a retry',
      { retryStatuses: [404] },
      'answer',
      404,
      { ...FAILING, retry: 'idempotent' },
    ],
    ['leave an answer alone that is not among them', { retryStatuses: [404] }, 'answer', 403, {}],
    ['keep the retry of an error among them', { retryStatuses: [503] }, 'server-error', 503, {}],
    [
      'grant an error a retry that had none',
      { retryStatuses: [501] },
      'server-fault',
      501,
      { retry: 'idempotent' },
    ],
    ['end the retry of an error', { retryStatuses: [503] }, 'server-error', 500, { retry: 'never' }],
    ['end the retry of 429', { retryStatuses: [503] }, 'throttled', 429, { retry: 'never' }],
    ['end the retry of 408', { retryStatuses: [503] }, 'transient-status', 408, { retry: 'never' }],
    ['do not end the retry of a cut answer', { retryStatuses: [503] }, 'truncated', 200, {}],
    ['leave a write in progress to its key', { retryStatuses: [409] }, 'in-progress', 409, {}],
    [
      'say nothing where there was no status',
      { retryStatuses: [503], breakerStatuses: [503] },
      'reset',
      undefined,
      {},
    ],
    [
      'say nothing of an error without one',
      { retryStatuses: [503], breakerStatuses: [503] },
      'server-error',
      undefined,
      {},
    ],
    ['charge an answer', { breakerStatuses: [404] }, 'answer', 404, { breaker: 'failure' }],
    ['clear an error', { breakerStatuses: [503] }, 'server-error', 500, { breaker: 'success' }],
    ['clear a fault', { breakerStatuses: [503] }, 'server-fault', 501, { breaker: 'success' }],
    ['charge 429', { breakerStatuses: [429] }, 'throttled', 429, { breaker: 'failure' }],
    ['charge 408', { breakerStatuses: [408] }, 'transient-status', 408, { breaker: 'failure' }],
    ['do not make 429 a success', { breakerStatuses: [503] }, 'throttled', 429, {}],
    ['say nothing of a cut answer', { breakerStatuses: [503] }, 'truncated', 200, {}],
    ['say nothing of a write in progress', { breakerStatuses: [409] }, 'in-progress', 409, {}],
    [
      'count for retry and breaker at once',
      { retryStatuses: [404], breakerStatuses: [404] },
      'answer',
      404,
      { ...FAILING, retry: 'idempotent', breaker: 'failure' },
    ],
  ];
  test.each(rows)('%s', (_, given, kind, status, changes) => {
    const base = judge(kind, { status });
    expect(override(operation(given), attempt(), success('a'), base)).toEqual({ ...base, ...changes });
  });
});

describe('classify', () => {
  const SERVED: Partial<Judgement> = { retry: 'never', fallback: false, caller: 'itself' };
  const answer = judge('answer', { status: 200 });
  const error = judge('server-error', { status: 500, retryAfterMs: 7 });
  const rows: [string, Verdict, Judgement, Partial<Judgement>][] = [
    ['success of an error', 'success', error, { ...SERVED, breaker: 'success' }],
    ['success of an answer', 'success', answer, {}],
    ['ignore of an error', 'ignore', error, { ...SERVED, breaker: 'ignored' }],
    ['failure of an answer', 'failure', answer, { ...FAILING, retry: 'idempotent', breaker: 'failure' }],
    ['failure of what was not sent', 'failure', judge('unsent'), {}],
    ['failure of a fault', 'failure', judge('server-fault'), { retry: 'idempotent' }],
    [
      'failure of what was cut short',
      'failure',
      judge('cut-early'),
      { retry: 'idempotent', breaker: 'failure' },
    ],
    ['nothing in particular', {}, error, {}],
    ['retry of an answer', { retry: true }, answer, { ...FAILING, retry: 'idempotent' }],
    ['retry of what was not sent', { retry: true }, judge('unsent'), {}],
    ['no retry of an error', { retry: false }, error, { retry: 'never' }],
    ['no retry of an answer', { retry: false }, answer, {}],
    ['an answer charged', { breaker: 'failure' }, answer, { ...FAILING, breaker: 'failure' }],
    ['an error forgiven', { breaker: 'success' }, error, { breaker: 'success' }],
    ['an error ignored', { breaker: 'ignore' }, error, { breaker: 'ignored' }],
    ['a fallback for an answer', { fallback: true }, answer, FAILING],
    ['no fallback for an error', { fallback: false }, error, { fallback: false }],
    [
      'an answer charged without a fallback',
      { breaker: 'failure', fallback: false },
      answer,
      { caller: 'upstream', fallback: false, breaker: 'failure' },
    ],
    ['a wait', { retryAfterMs: 5 }, error, { retryAfterMs: 5 }],
    ['no wait', { retryAfterMs: 0 }, error, { retryAfterMs: 0 }],
    ['a wait that is no number', { retryAfterMs: Number.NaN }, error, {}],
    ['a wait that is over', { retryAfterMs: -1 }, error, {}],
  ];
  test.each(rows)('%s', (_, verdict, base, changes) => {
    const given = { classify: () => verdict };
    expect(override(operation(given), attempt(), success('a'), base)).toEqual({ ...base, ...changes });
  });

  test('comes after listed statuses, and sees what they made of it', () => {
    const given = { retryStatuses: [404], classify: () => ({ breaker: 'failure' }) as const };
    const base = judge('answer', { status: 404 });
    expect(override(operation(given), attempt(), success('a'), base)).toEqual({
      ...base,
      ...FAILING,
      retry: 'idempotent',
      breaker: 'failure',
    });
  });

  test('that says nothing keeps what stands', () => {
    expect(override(operation({ classify: () => undefined }), attempt(), success('a'), error)).toBe(error);
  });

  test.each(['cancelled', 'refused'] as const)('is not asked about what was %s', (kind) => {
    const base = judge(kind);
    expect(override(operation({ classify: () => 'success' }), attempt(), failure(new Error('x')), base)).toBe(
      base,
    );
  });

  test('of a call is asked in place of its dependency’s', () => {
    const given: Given = { classify: () => 'ignore', ownClassify: () => 'success' };
    expect(override(operation(given), attempt(), success('a'), error).breaker).toBe('success');
  });

  const outcomes: [string, Outcome<unknown>, unknown][] = [
    ['the result', success('a'), 'a'],
    ['the error', failure('broken'), 'broken'],
  ];
  test.each(outcomes)('gets %s, and what is known of the attempt', (_, outcome, wanted) => {
    const asked: [unknown, ClassifyContext][] = [];
    const classify: Classify = (result, context) => {
      asked.push([result, context]);
      return undefined;
    };
    override(operation({ classify }), attempt(), outcome, error);
    const context = {
      dependency: 'db',
      operation: 'read',
      method: 'GET',
      path: '/a',
      attempt: 3,
      idempotent: false,
      status: 500,
      sent: 'answered',
      kind: 'server-error',
    };
    expect(asked).toEqual([[wanted, context]]);
  });

  test.each([
    [{ idempotent: true }, true],
    [{ keyed: true }, true],
    [{}, false],
  ])('is told whether the operation may be repeated: %j', (given, wanted) => {
    const told: boolean[] = [];
    const classify: Classify = (_result, { idempotent }) => {
      told.push(idempotent);
      return undefined;
    };
    override(operation({ ...given, classify }), attempt(), success('a'), answer);
    expect(told).toEqual([wanted]);
  });
});
