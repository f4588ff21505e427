import type { Answer, Broken } from './answer.js';

/** Who hears that a caller has gone. */
export interface CallerWatch {
  callerGone(): void;
}

/** Whoever waits for a service: a client of the traffic, or one attempt of another service's dependency. */
export interface Caller {
  readonly method: 'GET' | 'POST';
  /** 1-based number of this attempt. */
  readonly attempt: number;
  /** Time that it gives the service, ms; undefined when it says nothing. */
  readonly budgetMs: number | undefined;
  /** Rank of its criticality at the gate. */
  readonly rank: number;
  /** It waits no longer. */
  readonly gone: boolean;
  /** Told when the caller goes away before the answer. */
  watch: CallerWatch | undefined;
  answered(answer: Answer): void;
  broken(how: Broken): void;
  /** Work that went on for it after it had gone: it took `ms`. */
  wasted(ms: number): void;
}
