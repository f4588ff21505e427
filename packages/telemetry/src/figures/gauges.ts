import type { DependencySnapshot, InboundSnapshot, SpillwaySnapshot } from '@spillway/core';
import { labelOf } from './figure-set.js';
import type { Recorder } from './recorder.js';
import type { Labels, Sample } from './sample.js';

type OfDependency = (dependency: DependencySnapshot) => number | undefined;

const DEPENDENCY_GAUGES: Readonly<Record<string, OfDependency>> = {
  spillway_operations_in_flight: ({ inFlight }) => inFlight,
  spillway_retry_budget_granted: ({ budget }) => budget?.granted,
  spillway_retry_budget_allowed: ({ budget }) => budget?.allowed,
  spillway_retries_in_flight: ({ budget }) => budget?.retrying,
  spillway_bulkhead_in_use: ({ bulkhead }) => bulkhead?.inUse,
  spillway_bulkhead_limit: ({ bulkhead }) => bulkhead?.limit,
  spillway_bulkhead_queued: ({ bulkhead }) => bulkhead?.queued,
  spillway_bulkhead_detached: ({ bulkhead }) => bulkhead?.detached,
};

const INBOUND_GAUGES: Readonly<Record<string, (inbound: InboundSnapshot) => number | undefined>> = {
  // a gate that is off reports a limit that nothing reaches
  spillway_inbound_limit: ({ limit }) => (limit < Number.MAX_SAFE_INTEGER ? limit : undefined),
  spillway_inbound_in_flight: ({ inFlight }) => inFlight,
  spillway_inbound_queued: ({ queued }) => queued,
  spillway_inbound_detached: ({ detached }) => detached,
};

const STATES = labelOf('spillway_breaker_state', 'state').values ?? [];

/** Reads an instrument off a snapshot; one that events move adds nothing. */
export function readGauge(
  name: string,
  snapshot: SpillwaySnapshot,
  recorder: Recorder,
  into: Sample[],
): void {
  if (name === 'spillway_breaker_state') readStates(snapshot, recorder, into);
  if (name === 'spillway_breaker_failure_ratio') readFailures(snapshot, recorder, into);
  if (name === 'spillway_observer_failures_total') {
    into.push({ labels: recorder.base, value: snapshot.observerFailures });
  }
  const value = INBOUND_GAUGES[name]?.(snapshot.inbound);
  if (value !== undefined) into.push({ labels: recorder.base, value });
  const ofDependency = DEPENDENCY_GAUGES[name];
  if (ofDependency === undefined) return;
  for (const dependency of snapshot.dependencies) {
    const amount = ofDependency(dependency);
    if (amount !== undefined) into.push({ labels: labelsOf(recorder, dependency.name), value: amount });
  }
}

function labelsOf({ base }: Recorder, dependency: string): Labels {
  return { ...base, dependency };
}

/** Sums of a dependency's breakers by the name each is shown under. */
function byBreaker<T>(
  { name, breakers }: DependencySnapshot,
  recorder: Recorder,
  empty: () => T,
  add: (sums: T, breaker: DependencySnapshot['breakers'][number]) => void,
): Map<string, T> {
  const { breakers: dim } = recorder.of(name);
  const sums = new Map<string, T>();
  for (const breaker of breakers) {
    const shown = dim.shown(breaker.key);
    const sum = sums.get(shown) ?? empty();
    add(sum, breaker);
    sums.set(shown, sum);
  }
  return sums;
}

function readStates({ dependencies }: SpillwaySnapshot, recorder: Recorder, into: Sample[]): void {
  for (const dependency of dependencies) {
    const counts = byBreaker(
      dependency,
      recorder,
      () => new Map<string, number>(),
      (sums, { state }) => sums.set(state, (sums.get(state) ?? 0) + 1),
    );
    const labels = labelsOf(recorder, dependency.name);
    for (const [breaker, sums] of counts) {
      for (const state of STATES)
        into.push({ labels: { ...labels, breaker, state }, value: sums.get(state) ?? 0 });
    }
  }
}

function readFailures({ dependencies }: SpillwaySnapshot, recorder: Recorder, into: Sample[]): void {
  for (const dependency of dependencies) {
    const counts = byBreaker(
      dependency,
      recorder,
      () => ({ calls: 0, failures: 0 }),
      (sums, { calls, failures }) => {
        sums.calls += calls;
        sums.failures += failures;
      },
    );
    const labels = labelsOf(recorder, dependency.name);
    for (const [breaker, { calls, failures }] of counts) {
      if (calls > 0) into.push({ labels: { ...labels, breaker }, value: failures / calls });
    }
  }
}
