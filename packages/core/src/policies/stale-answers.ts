import { LRUCache } from 'lru-cache';
import { spillwayError } from '../call/errors.js';
import { toMs } from '../config/durations.js';
import type { Duration, FallbackFunction, FallbackOptions } from '../config/types.js';
import type { Operation } from '../pipeline/operation.js';
import type { Clock } from '../time/clock.js';

export interface StaleIfErrorOptions<A> {
  /** Older answers are not served. */
  readonly maxAge: Duration;
  /** Most answers kept; the least recently used go first. 1 to 1,000,000. */
  readonly maxEntries: number;
  /** Stands in where no answer has been kept. Default: the failure stands. */
  readonly otherwise?: FallbackFunction<A>;
  /** Default 1 s, of `otherwise`. */
  readonly timeout?: Duration;
  /** Mark the answer with `X-Degraded: <dependency>;age=<seconds>`. Default true. */
  readonly mark?: boolean;
}

/** What a fallback made by `staleIfError` asks for, in ms. */
interface StaleSettings {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  readonly hasOtherwise: boolean;
}

const MOST_ENTRIES = 1_000_000;

/** Settings by the function that stands in the configuration: what is kept belongs to a spillway, not to these. */
const SETTINGS = new WeakMap<FallbackFunction<unknown>, StaleSettings>();

/**
 * A fallback for `dependencies.<name>.fallback`: when an operation fails, its last good answer is served, and said to
 * be old. Kept are answers that can be told apart: those of GET, by URL, unless the request carried `Authorization` or
 * `Cookie`; with a `key` option those too, by it; and those of `.call()` with `idempotent: true` and a `key`. What
 * `.call()` answered is kept as it is, not copied.
 * @example quotes: { baseUrl, fallback: staleIfError({ maxAge: '10m', maxEntries: 1000 }) }
 * @throws SpillwayError ERR_CONFIG naming the option, its value and what is allowed
 */
export function staleIfError<A = never>(options: StaleIfErrorOptions<A>): FallbackOptions<A> {
  const { maxAge, maxEntries, otherwise, timeout, mark } = options;
  if (!Number.isInteger(maxEntries) || maxEntries < 1 || maxEntries > MOST_ENTRIES) {
    const message = `staleIfError.maxEntries: ${String(maxEntries)} is not allowed. Use a whole number from 1 to ${MOST_ENTRIES}`;
    throw spillwayError('ERR_CONFIG', message);
  }
  const run: FallbackFunction<A> = (failure, context) => {
    if (otherwise === undefined) throw failure;
    return otherwise(failure, context);
  };
  const maxAgeMs = toMs(maxAge, 'staleIfError.maxAge');
  SETTINGS.set(run, { maxAgeMs, maxEntries, hasOtherwise: otherwise !== undefined });
  return { run, ...(timeout !== undefined && { timeout }), ...(mark !== undefined && { mark }) };
}

interface Kept {
  readonly value: unknown;
  readonly at: number;
}

/** The last good answers of one dependency. */
export class StaleAnswers {
  /** Something else stands in where nothing has been kept. */
  readonly hasOtherwise: boolean;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  readonly #kept: LRUCache<string, Kept>;

  constructor({ maxAgeMs, maxEntries, hasOtherwise }: StaleSettings, clock: Clock) {
    this.hasOtherwise = hasOtherwise;
    this.#maxAgeMs = maxAgeMs;
    this.#clock = clock;
    this.#kept = new LRUCache({ max: maxEntries });
  }

  /** Those of a dependency whose fallback was made by `staleIfError`. */
  static of(run: FallbackFunction<unknown> | undefined, clock: Clock): StaleAnswers | undefined {
    const settings = run && SETTINGS.get(run);
    return settings && new StaleAnswers(settings, clock);
  }

  /** Keeps a good answer, where it can be told apart and kept. */
  remember(spec: Operation<unknown>, answer: unknown): void {
    const key = spec.answerKey;
    if (key === undefined || spec.keep === undefined) return;
    const value = spec.keep(answer);
    if (value !== undefined) this.#kept.set(key, { value, at: this.#clock.now() });
  }

  /** The last good answer to the same question, and its age; `undefined` when there is none or it is too old. */
  recall({ answerKey }: Operation<unknown>): { readonly value: unknown; readonly ageMs: number } | undefined {
    const kept = answerKey === undefined ? undefined : this.#kept.get(answerKey);
    if (kept === undefined) return undefined;
    const ageMs = this.#clock.now() - kept.at;
    if (ageMs <= this.#maxAgeMs) return { value: kept.value, ageMs };
    this.#kept.delete(answerKey as string);
    return undefined;
  }

  forget(): void {
    this.#kept.clear();
  }
}
