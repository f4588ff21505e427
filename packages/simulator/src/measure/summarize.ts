import type { World } from '../world/world.js';
import type { DependencyStats } from './dependency-stats.js';
import { Histogram } from './histogram.js';
import { recoveryOf } from './recovery.js';
import type {
  DependencyReport,
  Percentiles,
  ServiceReport,
  TrafficReport,
  VariantReport,
  Wasted,
} from './report.js';
import { round } from './round.js';
import type { ServiceStats } from './service-stats.js';
import type { Timeline } from './timeline.js';
import type { TrafficStats } from './traffic-stats.js';

/** The report of one world as far as it has come. */
export function summarize(world: World, timeline: Timeline): VariantReport {
  const now = world.clock.now();
  const { focus } = world.scenario;
  const measuredMs = Math.max(0, Math.min(world.window.to, now) - world.window.from);
  const focused = focus === undefined ? [...world.dependencies.values()] : [world.dependencies.get(focus)];
  const top = focused.filter((stats): stats is DependencyStats => stats !== undefined);
  const traffic = mapped(world.traffic, (stats) => trafficReport(stats, measuredMs));
  const clients = [...world.traffic.values()];
  const answers = together(clients.map(({ latency }) => latency));
  const failures = together(top.length > 0 ? top.map((s) => s.failures) : clients.map((s) => s.failures));
  const attempts = total(top, (stats) => stats.attempts);
  const operations = total(top, (stats) => stats.operations);
  const good = total(clients, (stats) => stats.goodCount);
  const ended = good + total(clients, (stats) => stats.failedCount + stats.gaveUpCount);
  const { recoveryMs, troubleFromMs, troubleToMs } = recoveryOf(world, timeline) ?? {};
  return {
    attempts,
    operations,
    amplification: ratio(attempts, operations),
    medianFailedMs: round(failures.quantile(0.5)),
    goodput: perSecond(good, measuredMs),
    goodShare: ratio(good, ended),
    p50Ms: round(answers.quantile(0.5)),
    p99Ms: round(answers.quantile(0.99)),
    maxMs: round(answers.max),
    wasted: wastedOf([...world.serviceStats.values()]),
    recoveryMs,
    troubleFromMs,
    troubleToMs,
    simulatedMs: round(now),
    measuredMs: round(measuredMs),
    unfinished: world.waiting,
    traffic,
    dependencies: mapped(world.dependencies, (stats, name) =>
      dependencyReport(stats, measuredMs, peakUse(timeline, name)),
    ),
    services: mapped(world.serviceStats, serviceReport),
    timeline,
  };
}

function trafficReport(stats: TrafficStats, measuredMs: number): TrafficReport {
  const { requests, goodCount, degradedCount, failedCount, gaveUpCount } = stats;
  return {
    requests,
    good: goodCount,
    degraded: degradedCount,
    failed: failedCount,
    gaveUp: gaveUpCount,
    goodShare: ratio(goodCount, goodCount + failedCount + gaveUpCount),
    goodput: perSecond(goodCount, measuredMs),
    statuses: sorted(stats.statuses),
    latency: percentiles(stats.latency),
    goodLatency: percentiles(stats.good),
    medianFailedMs: round(stats.failures.quantile(0.5)),
  };
}

function dependencyReport(stats: DependencyStats, measuredMs: number, peak: number): DependencyReport {
  const { operations, attempts, retries, outcomes, transitions, transitionCount } = stats;
  return {
    operations,
    attempts,
    retries,
    amplification: ratio(attempts, operations),
    outcomes: { ...outcomes },
    goodput: perSecond(outcomes.success + outcomes.degraded, measuredMs),
    latency: percentiles(stats.latency),
    medianFailedMs: round(stats.failures.quantile(0.5)),
    refusals: sorted(stats.refusals),
    stopped: sorted(stats.stopped),
    budget: { retriesPerOperation: ratio(retries, operations), peakUse: peak },
    breaker: { transitions: [...transitions], count: transitionCount },
    maxInFlight: stats.maxInFlight,
    wasted: wastedOf([stats]),
  };
}

function serviceReport(stats: ServiceStats): ServiceReport {
  return {
    requests: stats.requests,
    faulted: stats.faulted,
    statuses: sorted(stats.statuses),
    refusals: sorted(stats.refusals),
    latency: percentiles(stats.latency),
    late: stats.late,
    maxInWork: stats.maxInWork,
    maxQueued: stats.maxQueued,
    wasted: wastedOf([stats]),
  };
}

function percentiles(histogram: Histogram): Percentiles {
  return {
    count: histogram.count,
    meanMs: round(histogram.mean),
    p50Ms: round(histogram.quantile(0.5)),
    p99Ms: round(histogram.quantile(0.99)),
    maxMs: round(histogram.max),
  };
}

function together(histograms: readonly Histogram[]): Histogram {
  const all = new Histogram();
  for (const histogram of histograms) all.addAll(histogram);
  return all;
}

function peakUse(timeline: Timeline, dependency: string): number {
  return Math.max(0, ...(timeline.dependencies[dependency]?.budgetUse ?? []));
}

function wastedOf(all: readonly { readonly wastedCount: number; readonly wastedMs: number }[]): Wasted {
  return {
    count: total(all, (stats) => stats.wastedCount),
    ms: round(total(all, (stats) => stats.wastedMs)),
  };
}

function mapped<S, R>(all: ReadonlyMap<string, S>, report: (stats: S, name: string) => R): Record<string, R> {
  return Object.fromEntries([...all].map(([name, stats]) => [name, report(stats, name)]));
}

function sorted(counts: ReadonlyMap<string | number, number>): Record<string, number> {
  const entries = [...counts].map(([name, count]): [string, number] => [String(name), count]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function total<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((sum, one) => sum + value(one), 0);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : round(part / whole);
}

function perSecond(count: number, ms: number): number {
  return ms === 0 ? 0 : round((count * 1000) / ms);
}
