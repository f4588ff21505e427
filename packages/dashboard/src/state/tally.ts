/** Counts by name; `undefined` until something is counted. */
export type Tally = Map<string, number> | undefined;

export function count(tally: Tally, name: string): Map<string, number> {
  const counts = tally ?? new Map<string, number>();
  counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

export function sum(tallies: Iterable<Tally>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const tally of tallies) {
    if (tally === undefined) continue;
    for (const [name, times] of tally) sums[name] = (sums[name] ?? 0) + times;
  }
  return sums;
}

/** Per second, to a tenth. */
export function perSecond(times: number, ms: number): number {
  return ms <= 0 ? 0 : Math.round((times * 10_000) / ms) / 10;
}
