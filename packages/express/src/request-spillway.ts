import { type Client, clients } from '@spillway/client';
import {
  type Adds,
  type CallerDeadline,
  type DependencyOf,
  type InboundRequest,
  type RequestCall,
  type Spillway,
  spillwayError,
} from '@spillway/core';
import type { Request } from 'express';
import type { Registered } from './register.js';

/** What a handler has of Spillway: its request's time, and the dependencies within it. */
export class RequestSpillway<F extends Record<string, unknown> = Registered> {
  readonly #spillway: Spillway<F>;
  readonly #inbound: InboundRequest;

  constructor(spillway: Spillway<F>, inbound: InboundRequest) {
    this.#spillway = spillway;
    this.#inbound = inbound;
  }

  /** Where the middleware that stands behind this one finds the request. */
  static inboundOf(req: Request): InboundRequest {
    const { spillway } = req as { spillway?: RequestSpillway };
    if (spillway === undefined) throw notInstalled();
    return spillway.#inbound;
  }

  /** The name of this service. */
  get service(): string {
    return this.#spillway.service;
  }

  /** The request as a call; pass it on as `parent`. */
  get call(): RequestCall {
    return this.#inbound.call;
  }

  /** Aborts when the request's time is up or, for safe methods, its client has gone; the reason tells which. */
  get signal(): AbortSignal {
    return this.#inbound.call.signal;
  }

  /** What the caller's deadline headers said: `ms` from arrival, and the header it came from. */
  get deadline(): CallerDeadline {
    return this.#inbound.asked;
  }

  /** Milliseconds left for work on this request; Infinity when unbounded. */
  remainingMs(): number {
    return this.#inbound.remainingMs();
  }

  /**
   * The HTTP client of a dependency, within this request's time.
   * @throws SpillwayError ERR_UNKNOWN_DEPENDENCY
   */
  client<N extends keyof F & string>(name: N): Client<Adds<F[N]>> {
    return clients(this.#spillway, { parent: this.call })(name);
  }

  /**
   * A dependency, within this request's time.
   * @throws SpillwayError ERR_UNKNOWN_DEPENDENCY
   */
  dependency<N extends keyof F & string>(name: N): DependencyOf<F, N> {
    return this.#spillway.dependency(name, { parent: this.call });
  }
}

function notInstalled() {
  return spillwayError(
    'ERR_CONFIG',
    'Spillway is not installed: app.use(expressSpillway(spillway)) must come first',
  );
}
