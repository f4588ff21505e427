import type { CancelListener } from '../call/call.js';
import type { Sleeper } from '../pipeline/dependency-runtime.js';
import type { OperationCall } from '../pipeline/operation-call.js';
import { Timer } from '../time/clock.js';

export type Woken = 'rested' | 'cancelled' | 'closed';

/** The wait between two attempts. Cancellation and drain cut it in the same turn. */
export class RetrySleep extends Timer implements CancelListener, Sleeper {
  readonly woken: Promise<Woken>;
  readonly #op: OperationCall;
  #resolve!: (woken: Woken) => void;

  constructor(op: OperationCall, ms: number) {
    super();
    this.#op = op;
    this.woken = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    op.listen(this);
    op.runtime.sleepers ??= new Set();
    op.runtime.sleepers.add(this);
    op.clock.arm(this, ms);
  }

  onTimer(): void {
    this.#end('rested');
  }

  onCancel(): void {
    this.#end('cancelled');
  }

  stop(): void {
    this.#end('closed');
  }

  #end(woken: Woken): void {
    this.#op.clock.disarm(this);
    this.#op.unlisten(this);
    this.#op.runtime.sleepers?.delete(this);
    this.#resolve(woken);
  }
}
