/** How far back figures look, in ticks. */
export interface Span {
  readonly tickMs: number;
  /** Ticks of a minute: shares, amplification, refusals. */
  readonly minute: number;
  /** Ticks of quantiles. */
  readonly recent: number;
  /** Ticks of the charts. */
  readonly history: number;
}

export function spanOf(tickMs: number, historyMs: number): Span {
  const minute = Math.ceil(60_000 / tickMs);
  return { tickMs, minute, recent: 10, history: Math.max(minute, Math.ceil(historyMs / tickMs)) };
}
