/** What a simulated service answers with. */
export class Answer {
  readonly status: number;
  /** Good, but something was left out or stood in for. */
  readonly degraded: boolean;

  constructor(status: number, degraded = false) {
    this.status = status;
    this.degraded = degraded;
  }
}

export const OK: Answer = new Answer(200);
export const DEGRADED: Answer = new Answer(200, true);

export interface ErrorHeaders {
  /** Whole seconds. */
  readonly retryAfter?: string | undefined;
  /** X-Should-Retry: false */
  readonly toldNotToRetry?: boolean;
}

/**
 * An answer of 400 or more. It has the members of a fetch Response by which core tells one, so core judges it by the
 * same outcome table.
 */
export class ErrorAnswer extends Answer {
  readonly #headers: ErrorHeaders;

  constructor(status: number, headers: ErrorHeaders = {}) {
    super(status);
    this.#headers = headers;
  }

  get headers(): this {
    return this;
  }

  get(name: string): string | null {
    if (name === 'retry-after') return this.#headers.retryAfter ?? null;
    return name === 'x-should-retry' && this.#headers.toldNotToRetry === true ? 'false' : null;
  }

  /** There is no body. */
  arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.resolve(new ArrayBuffer(0));
  }
}

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
