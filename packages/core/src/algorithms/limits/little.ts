/** Little's law: how many run at once when `perSecond` arrive and each takes `latencyMs`. */
export function concurrencyOf(perSecond: number, latencyMs: number): number {
  return (perSecond * latencyMs) / 1000;
}
