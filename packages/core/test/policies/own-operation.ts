import { GOOD, type Judgement, judge, type Operation, type Outcome } from '../../src/index.js';

/** An operation of a transport that the test makes up: every failure is a connection reset unless `more` says else. */
export function own(
  work: Operation<unknown>['work'],
  more: Partial<Operation<unknown>> = {},
): Operation<unknown> {
  return {
    operation: 'read',
    method: 'GET',
    path: '/a',
    origin: undefined,
    idempotent: true,
    keyed: false,
    options: {},
    work,
    judge: ({ ok }) => (ok ? GOOD : judge('reset')),
    ...more,
  };
}

/** Reads one end of an attempt after the other as `judgements` say; the last stands for all that follow. */
export function readAs(...judgements: readonly Judgement[]): (outcome: Outcome<unknown>) => Judgement {
  let ends = 0;
  return () => judgements[Math.min(ends++, judgements.length - 1)] ?? GOOD;
}
