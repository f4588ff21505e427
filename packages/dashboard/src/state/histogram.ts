/** Bounds grow by a tenth, from 0.1 ms to more than five minutes: a quantile is off by 5 % at most. */
const GROWTH = Math.log(1.1);
const SMALLEST = 0.1;
const BUCKETS = 160;

/** Durations of one tick, in ms, in buckets. */
export class Histogram {
  readonly counts: Uint32Array = new Uint32Array(BUCKETS);
  total = 0;
  /** Exact. */
  least: number = Number.POSITIVE_INFINITY;
  most = 0;

  record(ms: number): void {
    const bucket = ms <= SMALLEST ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / SMALLEST) / GROWTH));
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.total++;
    if (ms < this.least) this.least = ms;
    if (ms > this.most) this.most = ms;
  }
}

/**
 * The value below which `share` of all that the histograms hold lies, in ms, never outside of what was recorded;
 * `null` when they hold nothing.
 */
export function quantile(histograms: readonly (Histogram | undefined)[], share: number): number | null {
  const held = histograms.filter(
    (histogram) => histogram !== undefined && histogram.total > 0,
  ) as Histogram[];
  if (held.length === 0) return null;
  const total = held.reduce((sum, histogram) => sum + histogram.total, 0);
  const found = middleOf(bucketOf(held, Math.max(1, Math.ceil(share * total))));
  const least = Math.min(...held.map((histogram) => histogram.least));
  const most = Math.max(...held.map((histogram) => histogram.most));
  return Number(Math.min(most, Math.max(least, found)).toPrecision(3));
}

/** The bucket in which the value of this rank lies. */
function bucketOf(histograms: readonly Histogram[], rank: number): number {
  let seen = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    for (const histogram of histograms) seen += histogram.counts[bucket] as number;
    if (seen >= rank) return bucket;
  }
  return BUCKETS - 1;
}

/** The middle of a bucket. */
function middleOf(bucket: number): number {
  return bucket === 0 ? SMALLEST : SMALLEST * Math.exp((bucket - 0.5) * GROWTH);
}
