import { createHash } from 'node:crypto';
import { type RequestFacts, requestOf } from '../call/request-call.js';
import type { BreakerStateName, Subject } from '../telemetry/events.js';
import type { OperationFacts } from './operation-call.js';

/** Digits of a hash that tell keys apart in logs. */
const SHOWN_DIGITS = 16;

/** Reads the subject off a running operation. */
export class OperationSubject implements Subject {
  readonly #op: OperationFacts;

  constructor(op: OperationFacts) {
    this.#op = op;
  }

  get method(): string | undefined {
    return this.#op.spec.method;
  }

  get origin(): string | undefined {
    return this.#op.spec.origin;
  }

  get path(): string | undefined {
    return this.#op.spec.path;
  }

  get repeatable(): boolean {
    return this.#op.spec.idempotent || this.#op.spec.keyed;
  }

  get keyHash(): string | undefined {
    const { key } = this.#op.spec;
    if (key === undefined) return undefined;
    // on the wire it stands in quotes
    const plain = key.length > 1 && key.startsWith('"') && key.endsWith('"') ? key.slice(1, -1) : key;
    return createHash('sha256').update(plain).digest('hex').slice(0, SHOWN_DIGITS);
  }

  get maxAttempts(): number {
    const { runtime, spec } = this.#op;
    const { retry } = spec.options;
    if (retry === false || runtime.options.retry === undefined) return 1;
    return retry?.attempts ?? runtime.options.retry.attempts;
  }

  get breakerState(): BreakerStateName | undefined {
    return this.#op.breaker?.machine.state(this.#op.runtime.clock.now());
  }

  get inboundHeaders(): RequestFacts['headers'] | undefined {
    return requestOf(this.#op.spec.options.parent)?.facts.headers;
  }

  toJSON(): { readonly method: string | undefined; readonly origin: string | undefined } {
    return { method: this.method, origin: this.origin };
  }
}
