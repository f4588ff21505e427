/** Buckets per power of ten: three digits of every value are kept. */
const PER_DECADE = 900;
const DECADES = 10;
/** Values below this are exact to it, ms. */
const FINEST_MS = 0.001;

/**
 * Counts durations by their first three digits: percentiles to within half a percent, in memory that does not grow.
 * Round values (0, 20, 700 ms) come back as they went in.
 */
export class Histogram {
  readonly #counts: Uint32Array = new Uint32Array(100 + PER_DECADE * DECADES);
  #count = 0;
  #sum = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  get max(): number {
    return this.#max;
  }

  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  add(ms: number): void {
    const at = indexOf(ms);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count++;
    this.#sum += ms;
    if (ms > this.#max) this.#max = ms;
  }

  /** The smallest value that at least `share` of all are not above; 0 when there are none. */
  quantile(share: number): number {
    if (this.#count === 0) return 0;
    const rank = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    for (let at = 0; at < this.#counts.length; at++) {
      seen += this.#counts[at] as number;
      if (seen >= rank) return Math.min(valueAt(at), this.#max);
    }
    return this.#max;
  }

  addAll(other: Histogram): void {
    for (const [at, count] of other.#counts.entries())
      if (count > 0) this.#counts[at] = (this.#counts[at] ?? 0) + count;
    this.#count += other.#count;
    this.#sum += other.#sum;
    this.#max = Math.max(this.#max, other.#max);
  }

  reset(): void {
    this.#counts.fill(0);
    this.#count = 0;
    this.#sum = 0;
    this.#max = 0;
  }
}

function indexOf(ms: number): number {
  let units = ms / FINEST_MS;
  let decade = 0;
  while (units >= 999.5 && decade < DECADES - 1) {
    units /= 10;
    decade++;
  }
  const digits = Math.round(units);
  return Math.min(digits + PER_DECADE * decade, 99 + PER_DECADE * DECADES);
}

function valueAt(index: number): number {
  if (index < 100) return index / 1000;
  const decade = Math.floor((index - 100) / PER_DECADE);
  const digits = index - PER_DECADE * decade;
  return (digits * 10 ** decade) / 1000;
}
