import type { CallOptions, Dependency, Outcome, RequestCall, WatchedAttempt } from '@spillway/core';
import type { DependencyStats } from '../measure/dependency-stats.js';
import type { ResolvedCall } from '../scenario/resolved.js';
import type { Answer } from './answer.js';
import type { Caller } from './caller.js';
import { Leg } from './leg.js';

export interface EdgePorts {
  readonly call: ResolvedCall;
  readonly dependency: Dependency<unknown>;
  /** Does it tell the callee how much time there is? */
  readonly propagates: boolean;
  readonly stats: DependencyStats;
  readonly send: (to: string, caller: Caller) => void;
}

/** One kind of call that a service makes, through the dependency that guards it. */
export class Edge {
  readonly call: ResolvedCall;
  readonly #ports: EdgePorts;
  readonly #method: 'GET' | 'POST';

  constructor(ports: EdgePorts) {
    this.call = ports.call;
    this.#ports = ports;
    this.#method = ports.call.idempotent ? 'GET' : 'POST';
  }

  run(parent: RequestCall | undefined, rank: number): Promise<Outcome<unknown>> {
    const { idempotent } = this.call;
    const options: CallOptions<never> = parent === undefined ? { idempotent } : { idempotent, parent };
    return this.#ports.dependency.settle((attempt) => this.#attempt(attempt, rank), options);
  }

  #attempt(attempt: unknown, rank: number): Promise<Answer> {
    const { propagates, stats, send } = this.#ports;
    // core hands the work an attempt that can be watched without a signal
    const leg = new Leg(attempt as WatchedAttempt, this.#method, propagates, rank, stats);
    send(this.call.to, leg);
    return leg.outcome;
  }
}
