/** Learns how much may run at once. Pure: time is an argument, samples are numbers. */
export interface Limit {
  /** Whole number, 1 or more. */
  readonly limit: number;
  /**
   * One finished piece of work.
   * @param now when it finished
   * @param rttMs how long it took
   * @param inFlight how many ran when it finished, itself included
   * @param dropped it was given up under load: too late, or refused further down
   */
  onSample(now: number, rttMs: number, inFlight: number, dropped: boolean): void;
}
