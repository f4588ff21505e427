/** Three decimals: what a report shows, and the same bytes on every engine. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
