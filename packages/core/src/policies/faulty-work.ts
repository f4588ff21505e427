import type { Attempt } from '../call/attempt.js';
import type { CancelListener } from '../call/call.js';
import { spillwayError } from '../call/errors.js';
import type { OperationCall } from '../pipeline/operation-call.js';
import { tellFault } from '../pipeline/operation-events.js';
import { Timer } from '../time/clock.js';
import type { InjectedAnswer, ResolvedFault } from './fault-options.js';

/** What an attempt runs. */
export interface Workload {
  readonly spec: { work(attempt: Attempt): unknown };
}

/**
 * The work of an attempt while faults are injected: the operation's own, or what a fault makes of it. It stands inside
 * the attempt, so that breaker, retry, budget and metrics see what they would see if the dependency did it.
 */
export function afflicted(op: OperationCall, attempt: Attempt): Workload {
  const struck = op.runtime.faults?.strike(op.runtime.random);
  if (struck === undefined) return op;
  const { fault } = struck;
  if (op.runtime.emit.enabled) tellFault(op, attempt, fault.kind);
  return { spec: { work: () => suffer(op, attempt, fault) } };
}

function suffer(op: OperationCall, attempt: Attempt, { latencyMs, answer }: ResolvedFault): unknown {
  if (latencyMs === 0) return answered(op, attempt, answer);
  return new Latency(attempt, latencyMs).over.then(() => answered(op, attempt, answer));
}

function answered(op: OperationCall, attempt: Attempt, answer: InjectedAnswer | undefined): unknown {
  const { spec, runtime } = op;
  if (answer === undefined) return spec.work(attempt);
  if (spec.pretend !== undefined) return spec.pretend(attempt, answer);
  throw spillwayError(
    'ERR_CONFIG',
    `inject into ${runtime.name}: its transport cannot pretend an answer; inject latency alone, or give its operations a pretend()`,
    { dependency: runtime.name, operation: spec.operation },
  );
}

/** A wait that ends with its time, or with its attempt. */
class Latency extends Timer implements CancelListener {
  readonly over: Promise<void>;
  readonly #attempt: Attempt;
  #resolve!: () => void;
  #reject!: (reason: unknown) => void;

  constructor(attempt: Attempt, ms: number) {
    super();
    this.#attempt = attempt;
    this.over = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    attempt.listen(this);
    attempt.clock.arm(this, ms);
  }

  onTimer(): void {
    this.#attempt.unlisten(this);
    this.#resolve();
  }

  onCancel(reason: unknown): void {
    this.#attempt.clock.disarm(this);
    this.#reject(reason);
  }
}
