import type { Units } from '../algorithms/units.js';
import type { Attempt } from '../call/attempt.js';
import type { ResolvedBulkhead } from '../config/resolved.js';
import type { OperationFacts } from '../pipeline/operation-call.js';
import { Timer } from '../time/clock.js';

/**
 * Work that runs on after its caller has been answered. Work that obeys its abort ends within the turn and is none;
 * what still runs then counts as detached and keeps its unit until it ends or `detachAfter` has passed (D5).
 */
export class Detachment extends Timer {
  readonly #op: OperationFacts;
  readonly #units: Units;
  readonly #since: number;
  #counted = false;
  #held = true;

  constructor(op: OperationFacts, attempt: Attempt, units: Units) {
    super(false);
    this.#op = op;
    this.#units = units;
    this.#since = op.clock.now();
    op.clock.arm(this, 0);
    attempt.whenIdle(() => this.#giveBack(false));
  }

  onTimer(): void {
    if (this.#counted) this.#giveBack(true);
    else this.#count();
  }

  #count(): void {
    const { runtime, clock, spec, id } = this.#op;
    this.#counted = true;
    runtime.detached++;
    const graceMs = (runtime.options.bulkhead as ResolvedBulkhead).detachAfterMs;
    clock.arm(this, Math.max(0, this.#since + graceMs - clock.now()));
    if (!runtime.emit.enabled) return;
    runtime.emit.emit({
      type: 'bulkhead.detached',
      dependency: runtime.name,
      operation: spec.operation,
      id,
      at: clock.now(),
    });
  }

  #giveBack(gaveUp: boolean): void {
    if (!this.#held) return;
    this.#held = false;
    const { runtime, clock, spec, id } = this.#op;
    clock.disarm(this);
    if (this.#counted) runtime.detached--;
    this.#units.giveBack();
    if (!this.#counted || !runtime.emit.enabled) return;
    const at = clock.now();
    runtime.emit.emit({
      type: 'bulkhead.reattached',
      dependency: runtime.name,
      operation: spec.operation,
      id,
      at,
      afterMs: at - this.#since,
      gaveUp,
    });
  }
}
