import type { Rule } from './rule.js';
import { attemptMinOverTimeout } from './rules/attempt-min-over-timeout.js';
import { attemptOverDeadline } from './rules/attempt-over-deadline.js';
import { attemptUnbounded } from './rules/attempt-unbounded.js';
import { baseOverCap } from './rules/base-over-cap.js';
import { breakerNeverOpens } from './rules/breaker-never-opens.js';
import { breakerOnFinalErrors } from './rules/breaker-on-final-errors.js';
import { budgetAgainstFailures } from './rules/budget-against-failures.js';
import { budgetGrantsNothing } from './rules/budget-grants-nothing.js';
import { clientOptionsWithoutUrl } from './rules/client-options-without-url.js';
import { connectOverTimeout } from './rules/connect-over-timeout.js';
import { deadlineOverInbound } from './rules/deadline-over-inbound.js';
import { floorTimesInstances } from './rules/floor-times-instances.js';
import { graphCycle } from './rules/graph-cycle.js';
import { graphMultiplies } from './rules/graph-multiplies.js';
import { inboundDefaultOverMax } from './rules/inbound-default-over-max.js';
import { inboundMarginOverShare } from './rules/inbound-margin-over-share.js';
import { inboundQueueWithoutPlaces } from './rules/inbound-queue-without-places.js';
import { keyRetention } from './rules/key-retention.js';
import { keysWithoutScope } from './rules/keys-without-scope.js';
import { keysWithoutSecret } from './rules/keys-without-secret.js';
import { memoryStore } from './rules/memory-store.js';
import { minCallsAgainstTraffic } from './rules/min-calls-against-traffic.js';
import { minCallsOverWindow } from './rules/min-calls-over-window.js';
import { minCallsUnread } from './rules/min-calls-unread.js';
import { noBreaker } from './rules/no-breaker.js';
import { noBulkhead } from './rules/no-bulkhead.js';
import { noDeadline } from './rules/no-deadline.js';
import { noGate } from './rules/no-gate.js';
import { noMargin } from './rules/no-margin.js';
import { noSlowRule } from './rules/no-slow-rule.js';
import { nothingBoundsRetries } from './rules/nothing-bounds-retries.js';
import { observeInProduction } from './rules/observe-in-production.js';
import { openOverMax } from './rules/open-over-max.js';
import { ownerAboveWithAttempts } from './rules/owner-above-with-attempts.js';
import { ownerIgnored } from './rules/owner-ignored.js';
import { probesTimesInstances } from './rules/probes-times-instances.js';
import { retryNeverFits } from './rules/retry-never-fits.js';
import { retryWithoutBackoff } from './rules/retry-without-backoff.js';
import { retryWithoutBudget } from './rules/retry-without-budget.js';
import { retryWithoutJitter } from './rules/retry-without-jitter.js';
import { scheduleCut } from './rules/schedule-cut.js';
import { shortWindow } from './rules/short-window.js';
import { slotsOfAHungDependency } from './rules/slots-of-a-hung-dependency.js';
import { slowOverTimeout } from './rules/slow-over-timeout.js';
import { timeLeftOnRoute } from './rules/time-left-on-route.js';
import { timeoutAgainstP99 } from './rules/timeout-against-p99.js';
import { trustInEveryone } from './rules/trust-in-everyone.js';
import { twoRetryOwners } from './rules/two-retry-owners.js';
import { unitsAgainstInbound } from './rules/units-against-inbound.js';
import { unjitteredOpenTime } from './rules/unjittered-open-time.js';
import { unsafeWithoutKey } from './rules/unsafe-without-key.js';
import { waitOverDeadline } from './rules/wait-over-deadline.js';
import { waitWithoutQueue } from './rules/wait-without-queue.js';

/**
 * Every rule, by id: 0xx options that can never take effect, 1xx time, 2xx retries, 3xx the breaker, 4xx load, 5xx the
 * call graph, 6xx production. Ids are never used again.
 */
export const RULES: readonly Rule[] = [
  attemptOverDeadline,
  minCallsOverWindow,
  retryNeverFits,
  attemptMinOverTimeout,
  connectOverTimeout,
  slowOverTimeout,
  openOverMax,
  baseOverCap,
  breakerNeverOpens,
  minCallsUnread,
  budgetGrantsNothing,
  waitWithoutQueue,
  waitOverDeadline,
  keysWithoutScope,
  ownerAboveWithAttempts,
  inboundDefaultOverMax,
  inboundMarginOverShare,
  inboundQueueWithoutPlaces,
  scheduleCut,
  noDeadline,
  attemptUnbounded,
  timeoutAgainstP99,
  noMargin,
  deadlineOverInbound,
  timeLeftOnRoute,
  clientOptionsWithoutUrl,
  retryWithoutBudget,
  retryWithoutBackoff,
  retryWithoutJitter,
  unsafeWithoutKey,
  twoRetryOwners,
  ownerIgnored,
  budgetAgainstFailures,
  nothingBoundsRetries,
  breakerOnFinalErrors,
  noSlowRule,
  minCallsAgainstTraffic,
  shortWindow,
  unjitteredOpenTime,
  noBreaker,
  probesTimesInstances,
  floorTimesInstances,
  slotsOfAHungDependency,
  unitsAgainstInbound,
  noBulkhead,
  noGate,
  graphMultiplies,
  graphCycle,
  memoryStore,
  keyRetention,
  observeInProduction,
  trustInEveryone,
  keysWithoutSecret,
];

/** A rule by id, for `--explain`. */
export function ruleById(id: string): Rule | undefined {
  return RULES.find((rule) => rule.id === id.toUpperCase());
}
