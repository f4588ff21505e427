import type { CancelListener } from '../call/call.js';
import type { BreakerHandle } from '../pipeline/breaker-registry.js';
import type { Sleeper } from '../pipeline/dependency-runtime.js';
import type { OperationCall } from '../pipeline/operation-call.js';
import { Timer } from '../time/clock.js';

interface Refusable {
  readonly refusal?: unknown;
}

/**
 * Waits for an open breaker (`whenOpen: { wait }`): asks again when the breaker changes or its open time is over,
 * and gives up with the first refusal when the wait is. Cut by cancellation and drain in the same turn.
 */
export class BreakerWait extends Timer implements CancelListener, Sleeper {
  readonly #op: OperationCall;
  readonly #handle: BreakerHandle;
  readonly #until: number;
  #wake: (() => void) | undefined;

  constructor(op: OperationCall, handle: BreakerHandle, until: number) {
    super();
    this.#op = op;
    this.#handle = handle;
    this.#until = until;
  }

  async ask<A extends Refusable>(admit: (now: number) => A, first: A): Promise<A> {
    const { clock } = this.#op;
    let answer = first;
    for (let now = clock.now(); answer.refusal !== undefined && now < this.#until; now = clock.now()) {
      if (this.#op.cancelled || this.#op.runtime.phase.current !== 'open') return answer;
      await this.#sleep(now);
      answer = admit(clock.now());
    }
    return answer;
  }

  onTimer(): void {
    this.#wake?.();
  }

  onCancel(): void {
    this.#wake?.();
  }

  stop(): void {
    this.#wake?.();
  }

  #sleep(now: number): Promise<void> {
    return new Promise((resolve) => {
      const { clock, runtime } = this.#op;
      const { machine } = this.#handle;
      runtime.sleepers ??= new Set();
      const { sleepers } = runtime;
      sleepers.add(this);
      this.#handle.waiters ??= new Set();
      const { waiters } = this.#handle;
      const wake = () => {
        this.#wake = undefined;
        clock.disarm(this);
        waiters.delete(wake);
        this.#op.unlisten(this);
        sleepers.delete(this);
        resolve();
      };
      this.#wake = wake;
      waiters.add(wake);
      this.#op.listen(this);
      // where a place is free, and this call brought too little time to take it, it may have it once it is starved
      const askInMs = Math.max(1, machine.retryAfterMs(now) || machine.starvesInMs(now));
      clock.arm(this, Math.min(askInMs, this.#until - now));
    });
  }
}
