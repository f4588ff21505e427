export { Attempt, type AttemptContext, type WatchedAttempt } from './call/attempt.js';
export { Call, type CancelListener } from './call/call.js';
export {
  type Blame,
  ERROR_CATALOGUE,
  type ErrorCode,
  type Sent,
  STOP_REASONS,
  type StopReason,
} from './call/error-catalogue.js';
export {
  describeCause,
  hidden,
  isRefusal,
  isSpillwayError,
  retryAfterSeconds,
  SpillwayError,
  type SpillwayErrorInit,
  spillwayError,
} from './call/errors.js';
export { followSignal, unfollowSignal } from './call/followers.js';
export { GOOD, type Judgement, type JudgementFacts, judge } from './call/judgement.js';
export { type Failure, failure, type Outcome, type Success, success } from './call/outcome.js';
export { kindOfStatus, OUTCOME_TABLE, type OutcomeKind, type OutcomeRow } from './call/outcome-table.js';
export { RequestCall, type RequestFacts } from './call/request-call.js';
export { isThenable } from './call/thenable.js';
export type { Transport, TransportRequest, TransportResponse } from './call/transport.js';
export { check, type Finding } from './check/check.js';
export { parseDuration } from './config/durations.js';
export { resolveConfig } from './config/resolve.js';
export type { ResolvedConfig, ResolvedDependency } from './config/resolved.js';
export type {
  Adds,
  AttemptConfig,
  BackoffConfig,
  BreakerConfig,
  BudgetConfig,
  BulkheadConfig,
  Classify,
  ClassifyContext,
  DefaultsConfig,
  DependencyConfig,
  Duration,
  FallbackContext,
  FallbackFunction,
  FallbackOptions,
  InboundConfig,
  LimitConfig,
  Mode,
  RetryConfig,
  SpillwayConfig,
  TrustConfig,
  Verdict,
} from './config/types.js';
export type { ContextCarrier } from './context/context.js';
export { Dependency, type DependencyOf } from './dependency.js';
export { wasRetried } from './inbound/answer-headers.js';
export { type Bounds, boundsOf } from './inbound/bounds.js';
export { type CallerDeadline, formatBudget } from './inbound/deadline-headers.js';
export { type EntryOptions, entryReader } from './inbound/entry-options.js';
export { Gate as InboundGate, type GateOptions, type GateRuntime } from './inbound/gate.js';
export { type GuardOptions, guardServer } from './inbound/guard-server.js';
export { Guest, type RefusalReason } from './inbound/guest.js';
export type { Entry, Inbound } from './inbound/inbound.js';
export type { InboundRequest } from './inbound/inbound-request.js';
export { type ProblemAnswer, problemOf } from './inbound/problem.js';
export { rankOf } from './inbound/request-facts.js';
export type { Decision } from './inbound/request-phase.js';
export { parseRetryAfter, type RetryAfter } from './inbound/retry-after.js';
export {
  countFallback,
  explainFallbackError,
  FALLBACK_TIMEOUT_MS,
  isMendable,
  markDegraded,
  RouteFallback,
} from './inbound/route-fallback.js';
export { type RouteOptions, type RouteSettings, routeSettings } from './inbound/route-settings.js';
export { runInContext } from './inbound/run-in-context.js';
export type { BreakerControl, BreakerKeyControl } from './pipeline/breaker-control.js';
export type { DescribedLayer, Description } from './pipeline/describe.js';
export type { InjectedFault } from './pipeline/fault-control.js';
export type { Work } from './pipeline/function-operation.js';
export { type HeaderHook, HeaderHooks, type HeadersOut } from './pipeline/header-hooks.js';
export type { CallOptions, Operation } from './pipeline/operation.js';
export {
  defineGate,
  definePolicy,
  type Gate,
  type GatePass,
  type Layer,
  type Policy,
  type PolicyRuntime,
  type Step,
} from './pipeline/policy.js';
export { type PlacedPolicy, SLOTS, type Slot } from './pipeline/slots.js';
export { FallbackCall } from './policies/fallback.js';
export type { Fault, InjectedAnswer } from './policies/fault-options.js';
export type { FaultSnapshot } from './policies/fault-set.js';
export { type StaleIfErrorOptions, staleIfError } from './policies/stale-answers.js';
export { type ClientMaker, createSpillway, Spillway, type SpillwayOptions } from './spillway.js';
export type {
  BreakerStateName,
  Criticality,
  EventOf,
  EventType,
  FaultKind,
  Observer,
  OperationOutcome,
  SpillwayEvent,
  Subject,
} from './telemetry/events.js';
export { FanOut, type Surround } from './telemetry/fan-out.js';
export type { Health } from './telemetry/health.js';
export type { IdempotencyEvent } from './telemetry/idempotency-events.js';
export type {
  BreakerSnapshot,
  DependencySnapshot,
  InboundSnapshot,
  SpillwaySnapshot,
} from './telemetry/snapshot.js';
export { after, type Clock, Timer } from './time/clock.js';
export { type Random, seededRandom } from './time/random.js';
export { afterPromises, nextTurn, systemClock } from './time/system-clock.js';
export { VirtualClock } from './time/virtual-clock.js';
