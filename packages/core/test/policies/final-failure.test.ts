import { describe, expect, test } from '@jest/globals';
import type { Attempt } from '../../src/call/attempt.js';
import type { Sent, StopReason } from '../../src/call/error-catalogue.js';
import type { SpillwayError } from '../../src/call/errors.js';
import { type Judgement, judge } from '../../src/call/judgement.js';
import { failure, type Outcome, success } from '../../src/call/outcome.js';
import type { OutcomeKind } from '../../src/call/outcome-table.js';
import type { OperationCall } from '../../src/pipeline/operation-call.js';
import { concede, Setback, strongest } from '../../src/policies/final-failure.js';

const NOW = 500;
const BROKEN = new Error('broken');

/** An operation of two attempts whose breaker says to come again in 1,234 ms. */
function operation(unwrap?: boolean) {
  const discarded: unknown[] = [];
  const breaker = { name: 'breaker' };
  const op = {
    attempts: 2,
    breaker,
    clock: { now: () => NOW },
    runtime: {
      name: 'db',
      retryAfterMs: (of: unknown, now: number) => (of === breaker && now === NOW ? 1234 : 0),
    },
    spec: {
      operation: 'read',
      options: unwrap === undefined ? {} : { unwrap },
      discard: (value: unknown) => discarded.push(value),
    },
    verdict: undefined,
    stopped: undefined,
  };
  return { op: op as unknown as OperationCall, discarded };
}

function setback(
  judgement: Judgement,
  outcome: Outcome<unknown> = failure(BROKEN),
  running = false,
): Setback {
  return new Setback({ number: 2, judgement, running } as unknown as Attempt, outcome);
}

function errorOf(judgement: Judgement, stopped: StopReason = 'attempts', sent: Sent = 'maybe') {
  return concede(operation().op, setback(judgement), stopped, sent).error as SpillwayError;
}

describe('a setback', () => {
  test.each<[string, Outcome<unknown>]>([
    ['a result', success('a')],
    ['an error', failure(BROKEN)],
  ])('keeps %s', (_, outcome) => {
    const kept = setback(judge('reset'), outcome);
    expect(kept.outcome).toEqual(outcome);
    expect([kept.number, kept.judgement.kind]).toEqual([2, 'reset']);
  });

  test('runs for as long as its attempt does', () => {
    const attempt = { number: 1, judgement: judge('timeout'), running: true };
    const kept = new Setback(attempt as unknown as Attempt, failure(BROKEN));
    expect(kept.running).toBe(true);
    attempt.running = false;
    expect(kept.running).toBe(false);
    attempt.running = true;
    expect(new Setback({ ...attempt, running: false } as unknown as Attempt, failure(BROKEN)).running).toBe(
      false,
    );
  });
});

describe('the caller gets', () => {
  test.each<OutcomeKind>(['answer', 'cut-late', 'refused', 'misuse'])('what came, after %s', (kind) => {
    const { op, discarded } = operation();
    const outcome = success('a');
    expect(concede(op, setback(judge(kind), outcome), 'not-retryable', 'answered')).toEqual(outcome);
    expect(discarded).toEqual([]);
    expect([op.verdict.kind, op.stopped]).toEqual([kind, 'not-retryable']);
  });

  test('an error that tells all', () => {
    const { op } = operation();
    const { ok, error } = concede(op, setback(judge('reset')), 'budget', 'maybe');
    expect(ok).toBe(false);
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      message: 'db failed: connection reset',
      dependency: 'db',
      operation: 'read',
      cause: BROKEN,
      status: 502,
      stopped: 'budget',
      sent: 'maybe',
      attempts: 2,
    });
    expect([op.verdict.kind, op.stopped]).toEqual(['reset', 'budget']);
  });

  test('an error for an answer, which is let go of', () => {
    const { op, discarded } = operation();
    const { error } = concede(
      op,
      setback(judge('server-error', { status: 500 }), success('page')),
      'attempts',
      'answered',
    );
    expect((error as Error).cause).toBe('page');
    expect(discarded).toEqual(['page']);
  });

  test('an error for an answer that nothing can be let go of', () => {
    const { op } = operation();
    const plain = { ...op, spec: { ...op.spec, discard: undefined } } as unknown as OperationCall;
    const answered = setback(judge('server-error', { status: 500 }), success('page'));
    expect(concede(plain, answered, 'attempts', 'answered').error).toMatchObject({ cause: 'page' });
  });

  test('nothing that was let go of, where the cause itself is wanted', () => {
    const { op, discarded } = operation(true);
    concede(op, setback(judge('server-error', { status: 500 }), success('page')), 'attempts', 'answered');
    concede(operation().op, setback(judge('reset')), 'attempts', 'maybe');
    expect(discarded).toEqual([]);
  });
});

describe('the error', () => {
  test.each<[OutcomeKind, string, number]>([
    ['unsent', 'no connection', 503],
    ['reset', 'connection reset', 502],
    ['stale', 'connection reset', 502],
    ['timeout', 'no answer in time', 504],
    ['truncated', 'answer cut short', 502],
    ['unparsable', 'answer does not parse', 502],
    ['certificate', 'certificate not valid', 502],
    ['throttled', 'too many requests', 503],
    ['server-error', 'server error', 502],
    ['server-fault', 'server error', 502],
    ['transient-status', 'not ready', 502],
    ['thrown', 'its call threw', 502],
  ])('after %s says %s, and has status %i', (kind, words, status) => {
    const { message, status: told } = errorOf(judge(kind));
    expect([message, told]).toEqual([`db failed: ${words}`, status]);
  });

  test('names an outcome that has no words of its own', () => {
    const odd = { ...judge('answer', { status: 404 }), caller: 'upstream' } as const;
    expect(errorOf(odd).message).toBe('db failed: answer');
  });

  test.each<[number, number]>([
    [503, 503],
    [504, 504],
    [500, 502],
  ])('after status %i has %i', (answered, status) => {
    expect(errorOf(judge('server-error', { status: answered })).status).toBe(status);
  });

  test('has 503 and what the breaker says, where that opened between two attempts', () => {
    const { status, retryAfterMs } = errorOf(judge('timeout', { retryAfterMs: 7 }), 'breaker');
    expect([status, retryAfterMs]).toEqual([503, 1234]);
  });

  test.each<[string, Judgement, number | undefined]>([
    ['what the dependency asked for', judge('throttled', { retryAfterMs: 7 }), 7],
    ['what the breaker says where it did not', judge('throttled'), 1234],
    ['the same after 503', judge('server-error', { status: 503 }), 1234],
    ['nothing after 500', judge('server-error', { status: 500 }), undefined],
    ['what was asked for with 500', judge('server-error', { status: 500, retryAfterMs: 7 }), 7],
    ['what was asked for with 503', judge('server-error', { status: 503, retryAfterMs: 7 }), 7],
    ['nothing after a reset', judge('reset'), undefined],
    ['what the breaker says where nothing was sent', judge('unsent'), 1234],
  ])('tells when to come again: %s', (_, judgement, ms) => {
    expect(errorOf(judgement).retryAfterMs).toBe(ms);
  });
});

test.each<[Sent, Sent, Sent]>([
  ['no', 'no', 'no'],
  ['no', 'maybe', 'maybe'],
  ['no', 'answered', 'answered'],
  ['maybe', 'no', 'maybe'],
  ['maybe', 'maybe', 'maybe'],
  ['maybe', 'answered', 'answered'],
  ['answered', 'no', 'maybe'],
  ['answered', 'maybe', 'maybe'],
  ['answered', 'answered', 'answered'],
])('of %s and then %s, %s can be said of both', (before, now, both) => {
  expect(strongest(before, now)).toBe(both);
});
