import type { DependencyConfig } from '../../src/index.js';
import {
  createSpillway,
  type Spillway,
  type SpillwayConfig,
  type SpillwayEvent,
  seededRandom,
  VirtualClock,
} from '../../src/index.js';

export interface Rig {
  readonly clock: VirtualClock;
  readonly spillway: Spillway<{ dep: unknown }>;
  readonly events: SpillwayEvent[];
}

/** A spillway with one dependency under a virtual clock, and every event it emits. */
export function rig(
  dep: DependencyConfig,
  config: Omit<SpillwayConfig<{ dep: unknown }>, 'dependencies'> = {},
  seed = 1,
): Rig {
  const clock = new VirtualClock();
  const events: SpillwayEvent[] = [];
  const spillway = createSpillway<{ dep: unknown }>(
    { ...config, dependencies: { dep } },
    { clock, random: seededRandom(seed), observers: [(event) => events.push(event)] },
  );
  return { clock, spillway, events };
}
