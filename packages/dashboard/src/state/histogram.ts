/** Bounds grow by a tenth, from 0.1 ms to more than five minutes: a quantile is off by 5 % at most. */
const GROWTH = Math.log(1.1);
const SMALLEST = 0.1;
const BUCKETS = 160;

/** Durations of one tick, in ms, in buckets. */
export class Histogram {
  readonly counts: Uint32Array = new Uint32Array(BUCKETS);
  total = 0;

  record(ms: number): void {
    const bucket = ms <= SMALLEST ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / SMALLEST) / GROWTH));
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.total++;
  }
}

/** The value below which `share` of all that the histograms hold lies, in ms; `null` when they hold nothing. */
export function quantile(histograms: readonly (Histogram | undefined)[], share: number): number | null {
  let total = 0;
  for (const histogram of histograms) total += histogram?.total ?? 0;
  if (total === 0) return null;
  const wanted = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    for (const histogram of histograms) seen += histogram?.counts[bucket] ?? 0;
    if (seen >= wanted) return middleOf(bucket);
  }
  return middleOf(BUCKETS - 1);
}

/** The middle of a bucket, to three digits. */
function middleOf(bucket: number): number {
  const value = bucket === 0 ? SMALLEST : SMALLEST * Math.exp((bucket - 0.5) * GROWTH);
  return Number(value.toPrecision(3));
}
