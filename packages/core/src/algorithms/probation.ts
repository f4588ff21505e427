/** What the probes of a half-open breaker have shown. */
export type Verdict = 'good' | 'bad';

export interface Conclusion {
  readonly verdict: Verdict;
  /** When it was reached. */
  readonly at: number;
}

export interface ProbationOptions {
  /** Probes admitted in all. */
  readonly count: number;
  /** Share of bad ones at which the verdict is bad, judged after all; undefined: the first bad one decides. */
  readonly rate: number | undefined;
}

/** Of a breaker that has no probes: never written to. */
const NO_LEASES: Map<number, number> = new Map();

/** The half-open time of a breaker: its probes, their leases, the verdict on them. */
export class Probation {
  readonly #options: ProbationOptions;
  readonly #leaseMs: number;
  /** When each running probe's lease lapses, by serial number; in the order of admission, so the earliest is first. */
  #leases: Map<number, number> = NO_LEASES;
  #serial = 0;
  #good = 0;
  #bad = 0;
  #firstLapse = Number.POSITIVE_INFINITY;
  #idleSince = 0;

  /** @param leaseMs a probe that has not settled after this counts as a bad one: none owns its place for ever (C-006) */
  constructor(options: ProbationOptions, leaseMs: number) {
    this.#options = options;
    this.#leaseMs = leaseMs;
  }

  /** Starts over with all places free; probes of an earlier half-open time no longer count. */
  begin(now: number): void {
    this.#leases = NO_LEASES;
    this.#good = 0;
    this.#bad = 0;
    this.#firstLapse = Number.POSITIVE_INFINITY;
    this.#idleSince = now;
  }

  get hasPlace(): boolean {
    return this.#good + this.#bad + this.#leases.size < this.#options.count;
  }

  /** When a probe was last admitted or settled, or the half-open time began. */
  get idleSince(): number {
    return this.#idleSince;
  }

  /** Takes a place; the serial number is positive and never given twice. */
  admit(now: number): number {
    const serial = ++this.#serial;
    if (this.#leases === NO_LEASES) this.#leases = new Map();
    this.#leases.set(serial, now + this.#leaseMs);
    if (this.#leases.size === 1) this.#firstLapse = now + this.#leaseMs;
    this.#idleSince = now;
    return serial;
  }

  /** Ends a probe; `ignored` gives its place back. Changes nothing when it has lapsed or ended already. */
  settle(serial: number, result: Verdict | 'ignored', now: number): Verdict | undefined {
    if (!this.#leases.delete(serial)) return undefined;
    this.#noteFirstLapse();
    this.#idleSince = now;
    if (result === 'ignored') return undefined;
    if (result === 'bad') this.#bad++;
    else this.#good++;
    return this.#judge(this.#bad);
  }

  /** The verdict that lapsed leases have led to by `now`, if they have. Changes nothing. */
  foresee(now: number): Conclusion | undefined {
    if (now < this.#firstLapse) return undefined;
    let bad = this.#bad;
    for (const at of this.#leases.values()) {
      if (at > now) return undefined;
      const verdict = this.#judge(++bad);
      if (verdict !== undefined) return { verdict, at };
    }
    return undefined;
  }

  /** Counts the leases that have lapsed by `now`; the verdict if that led to one. */
  lapse(now: number): Conclusion | undefined {
    const conclusion = this.foresee(now);
    if (conclusion !== undefined || now < this.#firstLapse) return conclusion;
    for (const [serial, at] of this.#leases) {
      if (at > now) break;
      this.#leases.delete(serial);
      this.#bad++;
    }
    this.#noteFirstLapse();
    return undefined;
  }

  /** When the next lease lapses after `now`; Infinity when none runs. */
  nextLapse(now: number): number {
    for (const at of this.#leases.values()) if (at > now) return at;
    return Number.POSITIVE_INFINITY;
  }

  #noteFirstLapse(): void {
    this.#firstLapse = Number.POSITIVE_INFINITY;
    for (const at of this.#leases.values()) {
      this.#firstLapse = at;
      return;
    }
  }

  #judge(bad: number): Verdict | undefined {
    const { count, rate } = this.#options;
    if (rate === undefined && bad > 0) return 'bad';
    if (this.#good + bad < count) return undefined;
    return rate !== undefined && bad / count >= rate ? 'bad' : 'good';
  }
}
