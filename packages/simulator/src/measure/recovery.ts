import { troubleEnd, troubleStart } from '../world/faults.js';
import type { World } from '../world/world.js';
import { round } from './round.js';
import type { Timeline } from './timeline.js';

/** A step is good when at least this share of its answers is. */
const GOOD_SHARE = 0.9;

export interface Recovery {
  /** When the scenario's first trouble began and its last one ended, ms. */
  readonly troubleFromMs: number;
  readonly troubleToMs: number;
  /** From then until answers were good again and stayed so; null: not before the traffic ended. */
  readonly recoveryMs: number | null;
}

/**
 * How long the callers still suffered after the trouble had gone; undefined when there was none, or it did not end
 * while requests came. Exact to one step of the timeline.
 */
export function recoveryOf(world: World, timeline: Timeline): Recovery | undefined {
  const { services, duration } = world.scenario;
  const from = troubleStart(services);
  const to = troubleEnd(services);
  if (from === undefined || to === undefined || to >= duration) return undefined;
  let goodSince = to;
  let isGood = true;
  for (const [index, at] of timeline.atMs.entries()) {
    if (at <= to || at - timeline.stepMs >= duration) continue;
    const share = goodShare(timeline, index);
    if (share === undefined) continue;
    isGood = share >= GOOD_SHARE;
    if (!isGood) goodSince = at;
  }
  const recoveryMs = isGood ? round(goodSince - to) : null;
  return { troubleFromMs: from, troubleToMs: to, recoveryMs };
}

function goodShare({ traffic }: Timeline, index: number): number | undefined {
  let good = 0;
  let all = 0;
  for (const line of Object.values(traffic)) {
    good += line.good[index] ?? 0;
    all += (line.good[index] ?? 0) + (line.bad[index] ?? 0);
  }
  return all === 0 ? undefined : good / all;
}
