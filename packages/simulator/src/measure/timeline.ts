import type { BreakerStateName } from '@spillway/core';
import type { World } from '../world/world.js';
import { round } from './round.js';

export interface TrafficLine {
  /** Per second. */
  readonly sent: number[];
  readonly good: number[];
  readonly bad: number[];
  readonly p50Ms: number[];
  readonly p99Ms: number[];
}

export interface DependencyLine {
  /** Per second. */
  readonly operations: number[];
  readonly attempts: number[];
  readonly refused: number[];
  readonly inFlight: number[];
  /** Share of the instances whose breaker is open; a half-open one counts half. */
  readonly breakerOpen: number[];
  /** Retries granted of those the budget allows. */
  readonly budgetUse: number[];
}

export interface ServiceLine {
  readonly inWork: number[];
  readonly queued: number[];
}

/** How it went, step by step; each value belongs to the step that ends at `atMs`. */
export interface Timeline {
  readonly stepMs: number;
  readonly atMs: number[];
  readonly traffic: Record<string, TrafficLine>;
  readonly dependencies: Record<string, DependencyLine>;
  readonly services: Record<string, ServiceLine>;
}

export function emptyTimeline(world: World, stepMs: number): Timeline {
  const timeline: Timeline = { stepMs, atMs: [], traffic: {}, dependencies: {}, services: {} };
  for (const name of world.traffic.keys()) {
    timeline.traffic[name] = { sent: [], good: [], bad: [], p50Ms: [], p99Ms: [] };
  }
  for (const name of world.dependencies.keys()) {
    timeline.dependencies[name] = {
      operations: [],
      attempts: [],
      refused: [],
      inFlight: [],
      breakerOpen: [],
      budgetUse: [],
    };
  }
  for (const name of world.services.keys()) timeline.services[name] = { inWork: [], queued: [] };
  return timeline;
}

/** Adds one step to the timeline and begins the next one. */
export function takeStep(world: World, timeline: Timeline, at: number, ms: number): void {
  timeline.atMs.push(round(at));
  const perSecond = 1000 / ms;
  for (const [name, stats] of world.traffic) {
    const line = timeline.traffic[name];
    if (line === undefined) continue;
    line.sent.push(round(stats.step.sent * perSecond));
    line.good.push(round(stats.step.good * perSecond));
    line.bad.push(round(stats.step.bad * perSecond));
    line.p50Ms.push(round(stats.stepLatency.quantile(0.5)));
    line.p99Ms.push(round(stats.stepLatency.quantile(0.99)));
    stats.step.sent = 0;
    stats.step.good = 0;
    stats.step.bad = 0;
    if (stats.stepLatency.count > 0) stats.stepLatency.reset();
  }
  stepDependencies(world, timeline, perSecond);
  for (const [name, service] of world.services) {
    const { inWork, queued } = service.load;
    timeline.services[name]?.inWork.push(inWork);
    timeline.services[name]?.queued.push(queued);
  }
}

function stepDependencies(world: World, timeline: Timeline, perSecond: number): void {
  const seen = stateOfDependencies(world);
  for (const [name, { step, inFlight }] of world.dependencies) {
    const line = timeline.dependencies[name];
    if (line === undefined) continue;
    line.operations.push(round(step.operations * perSecond));
    line.attempts.push(round(step.attempts * perSecond));
    line.refused.push(round(step.refused * perSecond));
    line.inFlight.push(inFlight);
    line.breakerOpen.push(round(seen.get(name)?.open ?? 0));
    line.budgetUse.push(round(seen.get(name)?.budgetUse ?? 0));
    for (const key of ['operations', 'attempts', 'good', 'failed', 'refused'] as const) step[key] = 0;
  }
}

const OPENNESS: Readonly<Record<BreakerStateName, number>> = {
  closed: 0,
  disabled: 0,
  'half-open': 0.5,
  open: 1,
  'forced-open': 1,
};

function stateOfDependencies(world: World): Map<string, { open: number; budgetUse: number }> {
  const states = new Map<string, { open: number; budgetUse: number }>();
  for (const [service, { instances }] of world.services) {
    for (const { guard } of instances) {
      for (const { name, breakers, budget } of guard?.spillway.snapshot().dependencies ?? []) {
        const key = `${service}.${name}`;
        const state = states.get(key) ?? { open: 0, budgetUse: 0 };
        const open = Math.max(0, ...breakers.map((breaker) => OPENNESS[breaker.state]));
        const use = budget === undefined || budget.allowed === 0 ? 0 : budget.granted / budget.allowed;
        states.set(key, {
          open: state.open + open / instances.length,
          budgetUse: Math.max(state.budgetUse, use),
        });
      }
    }
  }
  return states;
}
