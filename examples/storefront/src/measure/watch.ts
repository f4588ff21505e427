import type { Child } from '../processes/children.js';
import type { BySide, Targets } from '../processes/messages.js';
import type { Summary } from './tally.js';

/** One side, from both ends: what its users saw, and what quotes got of it. */
export interface SideReport extends Summary {
  /** Attempts that reached quotes while it was down. */
  readonly attemptsInOutage: number;
  /** Those per request of a user in the same time. */
  readonly amplification: number | null;
}

export type RunReport = BySide<SideReport>;

/** Starts the load and, with it, the outage script; gives every new picture to `look`, resolves with the last. */
export function watch(
  { quotes, load, targets }: { quotes: Child; load: Child; targets: Targets },
  look: (report: RunReport, elapsedMs: number) => void,
): Promise<RunReport> {
  let reached: Readonly<Record<string, number>> = {};
  quotes.onReport((report) => {
    if (report.type === 'reached') reached = report.reached;
  });
  return new Promise((resolve) => {
    load.onReport((report) => {
      if (report.type === 'begins') quotes.order({ type: 'start' });
      if (report.type !== 'tally' && report.type !== 'done') return;
      const { spillway, plain } = report.sides;
      const picture: RunReport = {
        spillway: join(spillway, reached['spillway'] ?? 0),
        plain: join(plain, reached['plain'] ?? 0),
      };
      look(picture, report.elapsedMs);
      if (report.type === 'done') resolve(picture);
    });
    load.order({ type: 'start', targets });
  });
}

function join(summary: Summary, attemptsInOutage: number): SideReport {
  const { requestsInOutage } = summary;
  const amplification = requestsInOutage === 0 ? null : attemptsInOutage / requestsInOutage;
  return { ...summary, attemptsInOutage, amplification };
}
