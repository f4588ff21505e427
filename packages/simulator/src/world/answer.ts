/**
 * What a simulated service answers with. It has the members of a fetch Response by which core tells one, so core
 * judges it by the same outcome table.
 */
export class Answer {
  readonly status: number;
  /** Good, but something was left out or stood in for. */
  readonly degraded: boolean;
  readonly #retryAfter: string | undefined;
  readonly #toldNotToRetry: boolean;

  constructor(status: number, extra: AnswerExtra = {}) {
    this.status = status;
    this.degraded = extra.degraded ?? false;
    this.#retryAfter = extra.retryAfter;
    this.#toldNotToRetry = extra.toldNotToRetry ?? false;
  }

  get headers(): this {
    return this;
  }

  get(name: string): string | null {
    if (name === 'retry-after') return this.#retryAfter ?? null;
    return name === 'x-should-retry' && this.#toldNotToRetry ? 'false' : null;
  }

  /** There is no body. */
  arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.resolve(new ArrayBuffer(0));
  }
}

export interface AnswerExtra {
  readonly degraded?: boolean;
  /** Whole seconds. */
  readonly retryAfter?: string | undefined;
  readonly toldNotToRetry?: boolean;
}

export const OK: Answer = new Answer(200);
export const DEGRADED: Answer = new Answer(200, { degraded: true });

/** A connection that failed, as fetch reports it. */
export interface Broken {
  readonly name: 'TypeError';
  readonly message: string;
  readonly cause: { readonly code: string };
}

export const RESET: Broken = broken('ECONNRESET');
export const REFUSED: Broken = broken('ECONNREFUSED');

function broken(code: string): Broken {
  return Object.freeze({ name: 'TypeError', message: 'fetch failed', cause: { code } });
}
