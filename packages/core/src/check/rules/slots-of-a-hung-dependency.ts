import { group } from '../../config/durations.js';
import { slotsWords, unitsHeld } from '../arithmetic.js';
import { isWritten } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';
import { suggestedTimeout } from './timeout-against-p99.js';

export const slotsOfAHungDependency: Rule = dependencyRule(
  {
    id: 'SW401',
    severity: 'warning',
    title: 'Units that a hung dependency holds',
    why: "Little's law: calls in flight = rate x time each takes. While a dependency hangs, each takes its whole timeout, until the breaker opens. Beyond the bulkhead, operations queue and are refused.",
  },
  (dependency) => {
    const { options, traffic } = dependency;
    const { bulkhead, attempt } = options;
    if (traffic.perSecond === undefined) return undefined;
    const bound = Math.min(attempt.timeoutMs, options.deadlineMs);
    if (!Number.isFinite(bound)) return undefined;
    const held = unitsHeld(traffic, bound);
    const arithmetic = slotsWords(traffic, bound);
    if (bulkhead !== undefined && held <= bulkhead.concurrent) return undefined;
    const shorter = traffic.p99Ms === undefined ? undefined : suggestedTimeout(traffic.p99Ms);
    const better =
      shorter === undefined || shorter >= bound
        ? 'Shorten attempt.timeout'
        : `Shorten attempt.timeout: ${slotsWords(traffic, shorter)}`;
    return {
      option: 'attempt.timeout',
      severity: isWritten(dependency, 'attempt.timeout') || bulkhead === undefined ? 'warning' : 'info',
      message: `While it hangs it holds ${arithmetic} units, ${bulkhead === undefined ? 'and no bulkhead bounds them' : `but there are ${group(bulkhead.concurrent)}`}.`,
      fix:
        bulkhead === undefined
          ? `${better}, and turn the bulkhead on.`
          : `${better}, or raise bulkhead.concurrent.`,
      arithmetic,
    };
  },
);
