import type { ResolvedConfig } from '../config/resolved.js';
import type { SpillwayConfig } from '../config/types.js';
import { slotsWords, unitsHeld } from './arithmetic.js';
import { type DependencyFacts, gatherFacts } from './facts.js';
import type { CheckInput } from './input.js';
import { validateInput } from './input-schema.js';
import { type GraphPath, graphPaths } from './paths.js';
import type { WorstCase } from './worst-case.js';

/** The worst case of a dependency with what its declared traffic makes of it. */
export interface DependencyReport extends WorstCase {
  /** Units that one instance holds while it hangs; `undefined` without a declared rate, or without a bound. */
  readonly units: number | undefined;
  /** `50/s x 5 s = 250` */
  readonly unitsArithmetic: string | undefined;
  /** Units there are; `undefined` without a bulkhead. */
  readonly concurrent: number | undefined;
}

export interface WorstCaseReport {
  readonly dependencies: readonly DependencyReport[];
  /** Paths of the declared call graph. */
  readonly paths: readonly GraphPath[];
}

/**
 * What one operation on each dependency, and one call along each path, can cost at most: attempts, time and units.
 * @throws ERR_CONFIG for a wrong declaration
 */
export function worstCases(
  written: SpillwayConfig,
  resolved: ResolvedConfig,
  input: CheckInput = {},
): WorstCaseReport {
  validateInput(input);
  const facts = gatherFacts(written, resolved, input);
  return { dependencies: facts.dependencies.map(reportOf), paths: graphPaths(facts) };
}

function reportOf({ options, traffic, worst }: DependencyFacts): DependencyReport {
  const bound = Math.min(options.attempt.timeoutMs, options.deadlineMs);
  const known = traffic.perSecond !== undefined && Number.isFinite(bound);
  return {
    ...worst,
    units: known ? unitsHeld(traffic, bound) : undefined,
    unitsArithmetic: known ? slotsWords(traffic, bound) : undefined,
    concurrent: options.bulkhead?.concurrent,
  };
}
