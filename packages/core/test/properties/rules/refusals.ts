import { ofType, type Placed, type Rule, strands } from './rule.js';

/** Refusals of our own are never failures of the callee, never retried, and spend no budget. */
export const refusals: Rule = (played) => {
  const { options, pauses } = played;
  const waits = (options.breaker?.waitMs ?? 0) > 0;
  const breaches: string[] = [];
  let charged: Charge[] = [];
  for (const [id, strand] of strands(played)) {
    charged = charged.concat(chargesOf(strand));
    const turned = refusedAt(strand, waits);
    if (turned === undefined) continue;
    const later = strand.filter(({ index }) => index > turned).map(({ event }) => event.type);
    if (later.includes('attempt.start') || later.includes('retry.scheduled'))
      breaches.push(`operation ${id} went on after a refusal`);
  }
  for (const strand of strands(played).values()) {
    for (const { event } of ofType(strand, 'attempt.end')) {
      if (event.kind === 'refused' && event.result !== 'ignored') breaches.push('a refusal has been judged');
    }
  }
  const windowMs = options.retry?.budget?.windowMs ?? 0;
  for (const { at, events, snapshot } of pauses) {
    const granted = snapshot.dependencies[0]?.budget?.granted ?? 0;
    // counts of grants are rounded up: they may hold a little more than the window
    const most = charged.filter(
      (one) => one.from < events && one.to >= events && one.at > at - 1.4 * windowMs,
    );
    if (granted > most.length)
      breaches.push(`${granted} grants charged at ${at}, ${most.length} retries made`);
  }
  return breaches;
};

/** A retry's charge: from which event to which it stands. */
interface Charge {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Retries that never began are not charged once their operation has been told. */
function chargesOf(strand: readonly Placed[]): Charge[] {
  return ofType(strand, 'retry.scheduled').map(({ event, index }) => {
    const began = strand.some(
      (one) => one.event.type === 'attempt.start' && one.event.attempt === event.attempt,
    );
    const end = ofType(strand, 'operation.end')[0]?.index ?? Number.POSITIVE_INFINITY;
    return { at: event.at, from: index, to: began ? Number.POSITIVE_INFINITY : end };
  });
}

/** The refusal that ended an operation: by its breaker, unless it may wait for it, by the bulkhead, or nested. */
function refusedAt(strand: readonly Placed[], waits: boolean): number | undefined {
  return strand.find(
    ({ event }) =>
      (event.type === 'breaker.refused' && !waits) ||
      event.type === 'bulkhead.refused' ||
      (event.type === 'attempt.end' && event.kind === 'refused'),
  )?.index;
}
