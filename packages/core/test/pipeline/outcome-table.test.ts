import { describe, expect, test } from '@jest/globals';
import {
  failure,
  judge,
  kindOfStatus,
  type Operation,
  OUTCOME_TABLE,
  type OutcomeKind,
  type OutcomeRow,
  type SpillwayError,
  success,
} from '../../src/index.js';
import { rig } from './harness.js';

/** An operation whose every attempt ends as `kind` says. */
function operation(
  kind: OutcomeKind,
  idempotent: boolean,
  status: number | undefined,
  count: { attempts: number },
): Operation<unknown> {
  const row: OutcomeRow = OUTCOME_TABLE[kind];
  return {
    operation: 'GET',
    method: idempotent ? 'GET' : 'POST',
    path: '/',
    origin: undefined,
    idempotent,
    keyed: row.retry === 'keyed',
    options: {},
    work: () => {
      count.attempts++;
      if (row.caller === 'itself' && kind === 'answer') return 'answered';
      throw Object.assign(new Error(kind), { kind });
    },
    judge: (outcome) => (outcome.ok ? judge('answer') : judge(kind, { status })),
  };
}

async function run(kind: OutcomeKind, idempotent: boolean, status?: number) {
  const count = { attempts: 0 };
  const { spillway, clock } = rig({
    retry: { attempts: 3, backoff: { base: 1, jitter: 'none' }, budget: false },
    breaker: { consecutive: 1, openFor: '5s', jitter: 0, failureRate: false },
    fallback: () => 'mended',
  });
  const dependency = spillway.dependency('dep');
  const done = dependency.run(operation(kind, idempotent, status, count));
  await clock.runToIdle();
  return { outcome: await done, count, state: dependency.breaker.state, spillway };
}

/** The same without breaker and fallback, to see what the caller gets and how often it was tried. */
async function bare(kind: OutcomeKind, idempotent: boolean, status?: number) {
  const count = { attempts: 0 };
  const { spillway, clock } = rig({
    retry: { attempts: 3, backoff: { base: 1, jitter: 'none' }, budget: false },
    breaker: false,
  });
  const done = spillway.dependency('dep').run(operation(kind, idempotent, status, count));
  await clock.runToIdle();
  const outcome = await done;
  return { error: outcome.error as SpillwayError, outcome, attempts: count.attempts };
}

/** Rows that come of our own doing are shown elsewhere: a transport cannot answer with them. */
const OURS: ReadonlySet<string> = new Set(['refused', 'cancelled', 'cut-early', 'cut-late', 'stale']);
const rows = (Object.keys(OUTCOME_TABLE) as OutcomeKind[]).filter((kind) => !OURS.has(kind));

describe('the outcome table', () => {
  test.each(rows)('row %s: the breaker learns what the table says', async (kind) => {
    const { state } = await run(kind, false, 500);
    expect(state).toBe(OUTCOME_TABLE[kind].breaker === 'failure' ? 'open' : 'closed');
  });

  test.each(rows)('row %s: a fallback answers where the table says', async (kind) => {
    const { outcome } = await run(kind, true, 500);
    const mended = outcome.ok && outcome.value === 'mended';
    expect(mended).toBe(OUTCOME_TABLE[kind].fallback);
  });

  test.each(rows)('row %s: an idempotent request is repeated where the table says', async (kind) => {
    const { attempts } = await bare(kind, true, 500);
    expect(attempts).toBe(OUTCOME_TABLE[kind].retry === 'never' ? 1 : 3);
  });

  test.each(rows)(
    'row %s: a request that is not idempotent is repeated only when it surely was not sent',
    async (kind) => {
      const { attempts } = await bare(kind, false, 500);
      const repeated = OUTCOME_TABLE[kind].retry === 'any-method' || OUTCOME_TABLE[kind].retry === 'keyed';
      expect(attempts).toBe(repeated ? 3 : 1);
    },
  );

  test.each(rows)('row %s: the caller gets what the table says', async (kind) => {
    const { error, outcome } = await bare(kind, true, 503);
    const row: OutcomeRow = OUTCOME_TABLE[kind];
    if (kind === 'answer') expect(outcome).toEqual(success('answered'));
    else if (row.caller === 'itself') expect(error).toMatchObject({ kind });
    else
      expect(error).toMatchObject({
        code: 'ERR_UPSTREAM',
        status: row.status === 'by-status' ? 503 : row.status,
        sent: row.sent,
      });
    expect(failure(error).ok).toBe(false);
  });

  test.each([
    [200, false, false, 'answer'],
    [304, false, false, 'answer'],
    [404, false, false, 'answer'],
    [408, false, false, 'transient-status'],
    [425, false, false, 'transient-status'],
    [429, false, false, 'throttled'],
    [409, true, true, 'in-progress'],
    [409, true, false, 'answer'],
    [409, false, true, 'answer'],
    [500, false, false, 'server-error'],
    [501, false, false, 'server-fault'],
    [502, false, false, 'server-error'],
    [503, false, false, 'server-error'],
    [504, false, false, 'server-error'],
    [505, false, false, 'server-fault'],
    [599, false, false, 'server-fault'],
  ] as const)('status %d (keyed %s, Retry-After %s) is the row %s', (status, keyed, hasRetryAfter, kind) => {
    expect(kindOfStatus(status, keyed, hasRetryAfter)).toBe(kind);
  });

  test.each([
    [500, 502, undefined],
    [502, 502, undefined],
    [503, 503, '1'],
    [504, 504, undefined],
  ])('an answered %d reaches the caller as %d, with Retry-After %s', async (answered, status, retryAfter) => {
    const { error } = await bare('server-error', true, answered);
    expect(error).toMatchObject({ status });
    expect(error.headers?.['Retry-After']).toBe(retryAfter);
  });
});
