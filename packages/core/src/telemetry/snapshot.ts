import type { DependencyRuntime } from '../pipeline/dependency-runtime.js';
import type { FaultSnapshot } from '../policies/fault-set.js';
import type { BreakerStateName, OperationOutcome } from './events.js';

export interface BreakerSnapshot {
  readonly key: string;
  readonly state: BreakerStateName;
  readonly retryAfterMs: number;
  readonly calls: number;
  readonly failures: number;
  readonly slow: number;
  readonly mode: 'enforce' | 'observe';
}

export interface DependencySnapshot {
  readonly name: string;
  /** Operations so far, by what their users saw. */
  readonly operations: Readonly<Record<OperationOutcome, number>>;
  readonly attempts: number;
  readonly retries: number;
  readonly inFlight: number;
  readonly breakers: readonly BreakerSnapshot[];
  readonly bulkhead:
    | { readonly inUse: number; readonly queued: number; readonly detached: number; readonly limit: number }
    | undefined;
  readonly budget:
    | {
        readonly operations: number;
        readonly granted: number;
        readonly allowed: number;
        readonly retrying: number;
      }
    | undefined;
  /** Injected faults in force, oldest first. */
  readonly faults: readonly FaultSnapshot[];
}

export interface InboundSnapshot {
  readonly limit: number;
  readonly inFlight: number;
  readonly queued: number;
  readonly detached: number;
  readonly refused: Readonly<Record<string, number>>;
}

/** The state of a spillway at one instant, JSON-safe. Taking it changes nothing (C-007). */
export interface SpillwaySnapshot {
  readonly service: string;
  readonly at: number;
  readonly phase: 'open' | 'draining' | 'closed';
  readonly inbound: InboundSnapshot;
  readonly dependencies: readonly DependencySnapshot[];
  readonly observerFailures: number;
}

export function snapshotDependency(runtime: DependencyRuntime, now: number): DependencySnapshot {
  return {
    name: runtime.name,
    operations: { ...runtime.totals },
    attempts: runtime.attempts,
    retries: runtime.retries,
    inFlight: runtime.inFlight,
    breakers: breakersOf(runtime, now),
    bulkhead: bulkheadOf(runtime),
    budget: budgetOf(runtime, now),
    faults: runtime.faults?.snapshot(now) ?? [],
  };
}

function breakersOf(runtime: DependencyRuntime, now: number): BreakerSnapshot[] {
  const handles = runtime.breakers === undefined ? [] : [...runtime.breakers.all()];
  return handles.map(({ key, machine, mode }) => {
    const { calls, failures, slow } = machine.tally(now);
    const state = machine.state(now);
    return { key, state, retryAfterMs: machine.retryAfterMs(now), calls, failures, slow, mode };
  });
}

function bulkheadOf({ units, detached }: DependencyRuntime): DependencySnapshot['bulkhead'] {
  if (units === undefined) return undefined;
  return { inUse: units.inUse, queued: units.queued, detached, limit: units.limit };
}

function budgetOf({ budget }: DependencyRuntime, now: number): DependencySnapshot['budget'] {
  if (budget === undefined) return undefined;
  const { operations, granted, allowed, retrying } = budget.view(now);
  return { operations, granted, allowed, retrying };
}
