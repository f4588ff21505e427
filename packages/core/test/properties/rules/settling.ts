import type { Pause } from '../play.js';
import type { Rule } from './rule.js';

/** A step never rejects; when a call has settled, no timer, listener or queue place of it remains. */
export const settling: Rule = ({ script, results, seen, pauses, end }) => {
  const breaches: string[] = [];
  if (seen.length !== script.operations.length) breaches.push('an operation never started');
  for (const { id, rejected, listenersLeft, result } of seen) {
    if (rejected) breaches.push(`operation ${id} rejected`);
    if (result === 'unsettled') breaches.push(`operation ${id} never settled`);
    if (listenersLeft > 0) breaches.push(`operation ${id} left ${listenersLeft} listeners`);
  }
  for (const pause of [...pauses, end]) breaches.push(...leftAt(pause));
  const { inFlight, bulkhead, budget } = end.snapshot.dependencies[0] ?? {};
  const left = [
    end.timers,
    inFlight,
    bulkhead?.inUse,
    bulkhead?.queued,
    bulkhead?.detached,
    budget?.retrying,
  ];
  if (left.some((count) => count !== undefined && count !== 0)) breaches.push(`left at the end: ${left}`);
  if (results.includes('unstarted')) breaches.push('an operation has no result');
  return breaches;
};

/** At most one timer of each operation that runs, and one of each piece of work that outlived its own. */
function leftAt({ at, unsettled, works, timers, snapshot }: Pause): string[] {
  const { bulkhead, inFlight } = snapshot.dependencies[0] ?? {};
  const breaches: string[] = [];
  if (timers > unsettled + works) breaches.push(`${timers} timers at ${at} of ${unsettled} + ${works}`);
  if (bulkhead && bulkhead.queued > unsettled) breaches.push(`${bulkhead.queued} in the queue at ${at}`);
  if (inFlight !== unsettled) breaches.push(`${inFlight} in flight at ${at}, ${unsettled} unsettled`);
  return breaches;
}
