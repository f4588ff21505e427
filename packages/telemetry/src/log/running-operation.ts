import type { EventOf, OutcomeKind, SpillwayEvent } from '@spillway/core';

/** What lines of an operation say that their own event does not. */
export class RunningOperation {
  readonly start: EventOf<'operation.start'>;
  /** Number of the last attempt that began, and the time it had. */
  attempt = 0;
  timeoutMs: number | undefined;
  /** Why the last retry was made, and how long it waited. */
  reason: OutcomeKind | undefined;
  backoffMs: number | undefined;
  /** What the breaker last said. */
  decision: 'allowed' | 'refused' | 'observed' | undefined;
  #keyHash: string | undefined;
  #isHashed = false;

  constructor(start: EventOf<'operation.start'>) {
    this.start = start;
  }

  /** Hashed when a line first wants it: most operations have none. */
  get keyHash(): string | undefined {
    if (!this.#isHashed) {
      this.#isHashed = true;
      this.#keyHash = this.start.subject.keyHash;
    }
    return this.#keyHash;
  }

  /** Takes in what an event adds, before its line is written. */
  take(event: SpillwayEvent): void {
    if (event.type === 'attempt.start') {
      this.attempt = event.attempt;
      this.timeoutMs = event.timeoutMs;
      if (this.decision === undefined && this.start.subject.breakerState !== undefined)
        this.decision = 'allowed';
    } else if (event.type === 'breaker.refused') {
      this.decision = event.observed ? 'observed' : 'refused';
    } else if (event.type === 'retry.scheduled') {
      this.reason = event.reason;
      this.backoffMs = event.delayMs;
      this.decision = undefined;
    } else if (event.type === 'retry.stopped' && event.stopped === 'breaker') this.decision = 'refused';
  }
}
