import type { EventOf } from '@spillway/core';
import type { Counter } from './counter.js';
import type { Dim } from './dims.js';
import { closedDim, type FigureSet, labelOf } from './figure-set.js';
import type { Histogram } from './histogram.js';

const OUTCOME = closedDim('spillway_operations_total', 'outcome');
const CODE = closedDim('spillway_operation_errors_total', 'code');
const KIND = closedDim('spillway_attempts_total', 'kind');
const RESULT = closedDim('spillway_attempts_total', 'result');
const SENT = closedDim('spillway_attempts_total', 'sent');

/** What one dependency's operations and attempts come to. The part that every operation pays for: a few sums each. */
export class CallFigures {
  readonly #operation: Dim;
  readonly #operations: Counter;
  readonly #durations: Histogram;
  readonly #perOperation: Histogram;
  readonly #retried: Counter;
  readonly #errors: Counter;
  readonly #attempts: Counter;
  readonly #attemptDurations: Histogram;

  constructor(set: FigureSet) {
    this.#operation = set.dim(labelOf('spillway_operations_total', 'operation'));
    this.#operations = set.counter('spillway_operations_total');
    this.#durations = set.histogram('spillway_operation_duration_seconds');
    this.#perOperation = set.histogram('spillway_operation_attempts');
    this.#retried = set.counter('spillway_operations_retried_total');
    this.#errors = set.counter('spillway_operation_errors_total');
    this.#attempts = set.counter('spillway_attempts_total');
    this.#attemptDurations = set.histogram('spillway_attempt_duration_seconds');
  }

  operationEnded(event: EventOf<'operation.end'>): void {
    const { attempts, code } = event;
    const outcome = OUTCOME.index(event.outcome);
    this.#operations.add(this.#operation.index(event.operation), outcome);
    this.#durations.observe(outcome, event.durationMs);
    this.#perOperation.observe(0, attempts);
    if (attempts > 1) this.#retried.add(outcome);
    if (code !== undefined) this.#errors.add(CODE.index(code));
    else if (event.outcome === 'failed') this.#errors.add(CODE.index('other'));
  }

  attemptEnded(event: EventOf<'attempt.end'>): void {
    const result = RESULT.index(event.result);
    const operation = this.#operation.index(event.operation);
    this.#attempts.add(operation, KIND.index(event.kind), result, SENT.index(event.sent));
    this.#attemptDurations.observe(result, event.durationMs);
  }
}
