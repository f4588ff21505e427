import { parseDuration } from '../config/durations.js';
import {
  BUILT_IN,
  IN_DEFAULTS,
  IN_DEPENDENCY,
  type WrittenDependency,
  writtenDependency,
} from '../config/merge.js';
import type { ResolvedConfig, ResolvedDependency } from '../config/resolved.js';
import type { SpillwayConfig } from '../config/types.js';
import type { CheckInput, TrafficDeclaration } from './input.js';
import { ratePerSecond } from './input-schema.js';
import { type WorstCase, worstCase } from './worst-case.js';

/** Everything the rules look at. */
export interface Facts {
  readonly written: SpillwayConfig;
  readonly resolved: ResolvedConfig;
  readonly input: CheckInput;
  readonly dependencies: readonly DependencyFacts[];
}

/** One dependency: what was written, what it came to, and what is known of its traffic. */
export interface DependencyFacts {
  readonly name: string;
  readonly written: WrittenDependency;
  readonly options: ResolvedDependency;
  readonly traffic: Traffic;
  readonly worst: WorstCase;
}

/** Declared traffic in plain numbers. */
export interface Traffic {
  readonly declared: TrafficDeclaration;
  /** Operations per second of all instances. */
  readonly perSecond: number | undefined;
  readonly p99Ms: number | undefined;
  readonly instances: number;
  readonly meshAttempts: number;
  readonly spentMs: number | undefined;
}

export function gatherFacts(written: SpillwayConfig, resolved: ResolvedConfig, input: CheckInput): Facts {
  const dependencies = [...resolved.dependencies.values()].map((options) => ({
    name: options.name,
    written: writtenDependency(written, options.name),
    options,
    traffic: trafficOf(input.traffic?.[options.name] ?? {}, input.instances ?? 1),
    worst: worstCase(options),
  }));
  return { written, resolved, input, dependencies };
}

function trafficOf(declared: TrafficDeclaration, instances: number): Traffic {
  return {
    declared,
    perSecond: ratePerSecond(declared.rate),
    p99Ms: parseDuration(declared.p99),
    instances: declared.instances ?? instances,
    meshAttempts: declared.meshAttempts ?? 1,
    spentMs: parseDuration(declared.spent),
  };
}

/** Did anybody write this option? */
export function isWritten({ written }: DependencyFacts, option: string): boolean {
  return written.level(option) !== BUILT_IN;
}

/**
 * Does `option` stand where it can never take effect because of `other`? Not when it comes from `defaults`, where
 * it serves other dependencies, unless `other` stands there as well.
 */
export function standsIdle({ written }: DependencyFacts, option: string, other: string): boolean {
  const level = written.level(option);
  return level === IN_DEPENDENCY || (level === IN_DEFAULTS && written.level(other) === IN_DEFAULTS);
}
