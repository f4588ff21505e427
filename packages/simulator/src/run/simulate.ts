import type { SpillwayEvent } from '@spillway/core';
import type { Expectation, SimulationReport, VariantReport } from '../measure/report.js';
import { summarize } from '../measure/summarize.js';
import { emptyTimeline, takeStep } from '../measure/timeline.js';
import { judgeExpectations, parseExpectations } from '../scenario/expectations.js';
import { issueAt, scenarioError } from '../scenario/issues.js';
import { resolveScenario } from '../scenario/resolve.js';
import type { ResolvedScenario } from '../scenario/resolved.js';
import { parseTrace } from '../scenario/trace.js';
import type { Scenario } from '../scenario/types.js';
import { isPlain, type Variation, writtenVariants } from '../scenario/variants.js';
import { World } from '../world/world.js';

/** How far a simulation has come. */
export interface Progress {
  readonly variant: string;
  /** Counted from 0. */
  readonly index: number;
  readonly variants: number;
  readonly nowMs: number;
  readonly endMs: number;
}

export interface SimulateOptions {
  /** In place of the scenario's. */
  readonly seed?: number;
  /** Every combination runs as a variant of its own. */
  readonly vary?: readonly Variation[];
  /** Reads the file that a `trace` names. Default: such traces are refused. */
  readonly readTrace?: (path: string) => string;
  readonly onProgress?: (progress: Progress) => void;
  /** Once aborted, the run ends and reports what was simulated so far. */
  readonly signal?: { readonly aborted: boolean };
  /** Every event of every service's Spillway, in order. */
  readonly onEvent?: (variant: string, service: string, event: SpillwayEvent) => void;
}

/**
 * Runs a scenario, each of its variants in a world of its own, in virtual time: the same seed gives the same report,
 * byte for byte.
 * @throws SpillwayError ERR_CONFIG naming every wrong value by path, value and allowed range
 */
export async function simulate(scenario: Scenario, options: SimulateOptions = {}): Promise<SimulationReport> {
  const variants = resolveAll(scenario, options);
  const reports: Record<string, VariantReport> = {};
  const expectations: Expectation[] = [];
  let complete = true;
  for (const [index, [name, resolved]] of [...variants].entries()) {
    const conditions = parseExpectations(resolved.expect);
    const run = await runVariant(name, resolved, options, index, variants.size);
    reports[name] = run.report;
    complete = run.complete;
    if (!complete) break;
    expectations.push(...judgeExpectations(conditions, name, run.report));
  }
  const [first] = variants.values();
  const { name = '', about = '', seed = 1, focus } = first ?? {};
  return { name, about, seed, focus, complete, variants: reports, expectations };
}

function resolveAll(scenario: Scenario, options: SimulateOptions): Map<string, ResolvedScenario> {
  if (!isPlain(scenario))
    throw scenarioError([issueAt([], scenario, 'an object with duration, services, traffic')]);
  const resolved = new Map<string, ResolvedScenario>();
  for (const [name, written] of writtenVariants(scenario, options.vary)) {
    const seeded = options.seed === undefined ? written : { ...written, seed: options.seed };
    resolved.set(name, withTraces(resolveScenario(seeded), options.readTrace));
  }
  return resolved;
}

/** Reads the files that traces name. */
function withTraces(scenario: ResolvedScenario, read: SimulateOptions['readTrace']): ResolvedScenario {
  const traffic = Object.entries(scenario.traffic).map(([name, one]) => {
    const { arrivals } = one;
    if (arrivals.kind !== 'trace' || typeof arrivals.times !== 'string') return [name, one] as const;
    if (read === undefined) {
      const path = ['traffic', name, 'arrivals', 'trace'];
      throw scenarioError([issueAt(path, arrivals.times, 'a list of instants, or the option readTrace')]);
    }
    const times = parseTrace(read(arrivals.times), arrivals.times);
    return [name, { ...one, arrivals: { kind: 'trace', times } }] as const;
  });
  return { ...scenario, traffic: Object.fromEntries(traffic) };
}

async function runVariant(
  variant: string,
  scenario: ResolvedScenario,
  { onProgress, signal, onEvent }: SimulateOptions,
  index: number,
  variants: number,
): Promise<{ report: VariantReport; complete: boolean }> {
  const world = new World(scenario, onEvent && ((service, event) => onEvent(variant, service, event)));
  const timeline = emptyTimeline(world, scenario.step);
  const endMs = scenario.duration + scenario.settle;
  const goOn = (): boolean => {
    onProgress?.({ variant, index, variants, nowMs: world.clock.now(), endMs: scenario.duration });
    return signal?.aborted !== true;
  };
  let at = 0;
  while (at < endMs && goOnFrom(world, at)) {
    const next = Math.min(at + scenario.step, at < scenario.duration ? scenario.duration : endMs);
    await world.clock.run(next, goOn);
    if (signal?.aborted === true) break;
    takeStep(world, timeline, next, next - at);
    at = next;
  }
  return { report: summarize(world, timeline), complete: signal?.aborted !== true };
}

/** Requests still come, or somebody still waits. */
function goOnFrom(world: World, at: number): boolean {
  return at < world.scenario.duration || world.waiting > 0;
}
