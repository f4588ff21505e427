import type { Rule } from './rule.js';

/** Cancellation reaches every waiter in the same turn, with its reason. */
export const cancellation: Rule = ({ seen }) => {
  const breaches: string[] = [];
  for (const { id, cancelled, operation, error, result } of seen) {
    if (cancelled === undefined || cancelled.late) continue;
    // without a parent, `parent` has nobody to cancel it by but its signal
    const by = operation.cancelBy;
    if (!cancelled.sameTurn) breaches.push(`operation ${id} did not hear of its ${by} in the same turn`);
    if (error !== cancelled.reason) breaches.push(`operation ${id} ended with ${result}, not its reason`);
    if (cancelled.unheard > 0) breaches.push(`work of operation ${id} was not told`);
  }
  return breaches;
};
