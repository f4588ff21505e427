import type { ResolvedDependency } from '../config/resolved.js';
import { type Diagrams, diagramsOf } from './diagrams.js';
import { type PlacedPolicy, SLOTS, type Slot } from './slots.js';

/** One layer of a dependency's policy, from the outside in. */
export interface DescribedLayer {
  readonly slot: Slot | 'custom';
  readonly kind: string;
  /** False where the configuration leaves the part out. */
  readonly active: boolean;
  readonly options: object;
}

export interface Description {
  readonly dependency: string;
  readonly baseUrl: string | undefined;
  readonly layers: readonly DescribedLayer[];
  /** The life of a call and of its breaker, as Mermaid state diagrams with the numbers of the configuration. */
  readonly diagrams: Diagrams;
}

/** The policy of a dependency as data: what `spillway explain` and the dashboard print. */
export function describe(options: ResolvedDependency, custom: readonly PlacedPolicy[]): Description {
  const layers = SLOTS.flatMap((slot) => [...customAt(custom, slot), standard(options, slot)]);
  return { dependency: options.name, baseUrl: options.baseUrl?.href, layers, diagrams: diagramsOf(options) };
}

function customAt(custom: readonly PlacedPolicy[], slot: Slot): DescribedLayer[] {
  return custom
    .filter(({ before }) => before === slot)
    .map(({ policy }) => ({ slot: 'custom', kind: policy.kind, active: true, options: policy.options }));
}

function standard(options: ResolvedDependency, slot: Slot): DescribedLayer {
  if (slot === 'deadline') {
    const active = options.deadlineMs < Number.POSITIVE_INFINITY;
    return { slot, kind: slot, active, options: { deadlineMs: options.deadlineMs } };
  }
  const part = options[slot];
  return { slot, kind: slot, active: part !== undefined, options: part ?? {} };
}
