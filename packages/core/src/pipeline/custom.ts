import type { Call, CancelListener } from '../call/call.js';
import { isRefusal, spillwayError } from '../call/errors.js';
import { GOOD, type Judgement, judge } from '../call/judgement.js';
import { failure, type Outcome } from '../call/outcome.js';
import { CANCELLED, REFUSED } from '../policies/verdicts.js';
import { Timer } from '../time/clock.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import type { Policy, Step } from './policy.js';

/**
 * Puts a custom policy around a step. What it answers in place of the step is judged here; and since it may wait
 * without asking anybody, it is bounded by the call's time and cancellation.
 * @param ownerOf whose cancellation that is: an attempt whose time is up is given up itself, and its operation goes on
 */
export function aroundCustom<C extends Call>(
  runtime: DependencyRuntime,
  policy: Policy<unknown>,
  next: (call: C) => Promise<Outcome<unknown>>,
  ownerOf: (call: C) => Call,
  setVerdict: (call: C, verdict: Judgement) => void,
): (call: C) => Promise<Outcome<unknown>> {
  const inner = new WeakMap<Call, Outcome<unknown>>();
  const layer = policy.bind(runtime);
  const step: Step<unknown> = layer(async (call) => {
    // the pipeline calls this step with its own calls only
    const outcome = await next(call as C);
    inner.set(call, outcome);
    return outcome;
  });
  return async (call) => {
    const owner = ownerOf(call);
    const outcome = await new CustomRun(runtime, call, owner, step).outcome;
    if (outcome !== inner.get(call)) setVerdict(call, judgeForeign(owner, outcome));
    return outcome;
  };
}

function judgeForeign(owner: Call, outcome: Outcome<unknown>): Judgement {
  if (outcome.ok) return GOOD;
  if (owner.cancelled) return CANCELLED;
  return isRefusal(outcome.error) ? REFUSED : judge('thrown');
}

/** Waits of standard policies end at the deadline and know best what to answer: this one ends just after. */
const GRACE_MS = 1;

class CustomRun extends Timer implements CancelListener {
  readonly outcome: Promise<Outcome<unknown>>;
  readonly #owner: Call;
  readonly #runtime: DependencyRuntime;
  #resolve!: (outcome: Outcome<unknown>) => void;

  constructor(runtime: DependencyRuntime, call: Call, owner: Call, step: Step<unknown>) {
    super();
    this.#runtime = runtime;
    this.#owner = owner;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    owner.listen(this);
    if (call.workUntil < Number.POSITIVE_INFINITY) {
      runtime.clock.arm(this, call.workUntil - runtime.clock.now() + GRACE_MS);
    }
    step(call).then(
      (outcome) => this.#end(outcome),
      (error: unknown) => this.#end(failure(error)),
    );
  }

  onTimer(): void {
    const { name } = this.#runtime;
    this.#end(
      failure(spillwayError('ERR_DEADLINE_EXCEEDED', `The time for ${name} is up`, { dependency: name })),
    );
  }

  onCancel(reason: unknown): void {
    this.#end(failure(reason));
  }

  #end(outcome: Outcome<unknown>): void {
    this.#runtime.clock.disarm(this);
    this.#owner.unlisten(this);
    this.#resolve(outcome);
  }
}
