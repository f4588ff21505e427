import { createHash } from 'node:crypto';
import type { RequestCall } from '../call/request-call.js';
import { requestOf } from '../call/request-call.js';
import type { OperationFacts } from '../pipeline/operation-call.js';
import type { BreakerStateName } from './events.js';

/**
 * What an operation asks for, for those who write it down: read when it is wanted, so that nobody else pays for it.
 * Only method and origin are safe to show; serialised, it shows those and nothing else.
 */
export class Subject {
  readonly #op: OperationFacts;

  constructor(op: OperationFacts) {
    this.#op = op;
  }

  /** Undefined for a function. */
  get method(): string | undefined {
    return this.#op.spec.method;
  }

  get origin(): string | undefined {
    return this.#op.spec.origin;
  }

  /** As it goes out, ids and all, without the query. */
  get path(): string | undefined {
    return this.#op.spec.path;
  }

  /** May it be sent again although it may have been received? By its method, a key, or somebody's word. */
  get repeatable(): boolean {
    return this.#op.spec.idempotent || this.#op.spec.keyed;
  }

  /** The first 16 hex digits of the SHA-256 of its idempotency key; undefined when it has none. */
  get keyHash(): string | undefined {
    const { key } = this.#op.spec;
    if (key === undefined) return undefined;
    // on the wire it stands in quotes
    const plain = key.length > 1 && key.startsWith('"') && key.endsWith('"') ? key.slice(1, -1) : key;
    return createHash('sha256').update(plain).digest('hex').slice(0, 16);
  }

  /** Attempts it may make at most, the first included. */
  get maxAttempts(): number {
    const { runtime, spec } = this.#op;
    const { retry } = spec.options;
    if (retry === false || runtime.options.retry === undefined) return 1;
    return retry?.attempts ?? runtime.options.retry.attempts;
  }

  /** State of its breaker at this instant; undefined when it has none. */
  get breakerState(): BreakerStateName | undefined {
    return this.#op.breaker?.machine.state(this.#op.runtime.clock.now());
  }

  /** The inbound request that it works for. */
  get request(): RequestCall | undefined {
    return requestOf(this.#op.spec.options.parent);
  }

  toJSON(): { readonly method: string | undefined; readonly origin: string | undefined } {
    return { method: this.method, origin: this.origin };
  }
}
