/** Room for the rounding of a share times a limit, so that 7 % of 100 is 7 and not 8. */
const EPSILON = 1e-9;

interface Partition {
  readonly share: number;
  inFlight: number;
}

/**
 * Guaranteed shares of a limit, as in Netflix concurrency-limits: below the limit anybody is admitted, so that what
 * one does not use another may borrow; at the limit, only who is within its own share. So the total can go above the
 * limit by what was borrowed. Whoever has no share is admitted below the limit only.
 */
export class Partitions {
  readonly #partitions: Map<string, Partition>;
  /** Those without a share. */
  readonly #others: Partition = { share: 0, inFlight: 0 };
  #inFlight = 0;

  /** @param shares by name, each 0 to 1, at most 1 in all */
  constructor(shares: Readonly<Record<string, number>>) {
    this.#partitions = new Map(Object.entries(shares).map(([name, share]) => [name, { share, inFlight: 0 }]));
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  inFlightOf(name: string): number {
    return this.#of(name).inFlight;
  }

  /** What a partition is guaranteed: at least 1; 0 for a name without a share. */
  limitOf(name: string, limit: number): number {
    const partition = this.#partitions.get(name);
    return partition === undefined ? 0 : Math.max(1, Math.ceil(partition.share * limit - EPSILON));
  }

  /** Would one more of `name` be admitted? Changes nothing. */
  admits(name: string, limit: number): boolean {
    return this.#inFlight < limit || this.#of(name).inFlight < this.limitOf(name, limit);
  }

  /** Admits one of `name`, or says no. */
  tryTake(name: string, limit: number): boolean {
    if (!this.admits(name, limit)) return false;
    this.#of(name).inFlight++;
    this.#inFlight++;
    return true;
  }

  /** One of `name` has ended. */
  giveBack(name: string): void {
    this.#of(name).inFlight--;
    this.#inFlight--;
  }

  #of(name: string): Partition {
    return this.#partitions.get(name) ?? this.#others;
  }
}
