/** Length of a counting period. */
const PERIOD_MS = 1000;
/** Weight of the newest interval in the mean of those between departures. */
const NEWEST = 0.1;
/** What a gate asks for when it refuses nearly nobody: overload that passes, passes within this. */
const BRIEF_MS = 500;
const LONGEST_MS = 30_000;

/** What passed the gate lately: how many of those who came were let in, and how fast they leave. */
export class Traffic {
  #periodAt = 0;
  #admitted = 0;
  #refused = 0;
  #admittedBefore = 0;
  #refusedBefore = 0;
  #leftAt: number | undefined;
  #intervalMs = 0;

  admitted(now: number): void {
    this.#turn(now);
    this.#admitted++;
  }

  refused(now: number): void {
    this.#turn(now);
    this.#refused++;
  }

  /** One has gone while others waited for its place. */
  left(now: number): void {
    if (this.#leftAt !== undefined) this.#intervalMs += NEWEST * (now - this.#leftAt - this.#intervalMs);
    this.#leftAt = now;
  }

  /** Nobody waits any more: the time until the next departure says nothing about a queue. */
  idle(): void {
    this.#leftAt = undefined;
  }

  /** How long it takes until `places` have become free, judged by the last departures; 0 when there were none. */
  waitMs(places: number): number {
    return places * this.#intervalMs;
  }

  /**
   * When a refused client should come back: the fewer of those who come are let in, the later, so that what comes
   * again spreads over what can be served.
   */
  retryAfterMs(now: number, waiting: number): number {
    this.#turn(now);
    const admitted = this.#admitted + this.#admittedBefore;
    const came = admitted + this.#refused + this.#refusedBefore;
    const spread = came === 0 ? BRIEF_MS : (BRIEF_MS * came) / Math.max(1, admitted);
    return Math.min(LONGEST_MS, Math.max(spread, this.waitMs(waiting)));
  }

  #turn(now: number): void {
    const elapsedMs = now - this.#periodAt;
    if (elapsedMs < PERIOD_MS) return;
    const periods = Math.floor(elapsedMs / PERIOD_MS);
    this.#admittedBefore = periods === 1 ? this.#admitted : 0;
    this.#refusedBefore = periods === 1 ? this.#refused : 0;
    this.#admitted = 0;
    this.#refused = 0;
    this.#periodAt += periods * PERIOD_MS;
  }
}
