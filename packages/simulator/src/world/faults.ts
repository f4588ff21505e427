import type { Random } from '@spillway/core';
import type { ResolvedFault, ResolvedRestart, ResolvedService } from '../scenario/resolved.js';

/** What goes wrong with one service, over time. */
export class Faults {
  readonly #faults: readonly ResolvedFault[];
  readonly #slow: readonly ResolvedFault[];
  readonly #random: Random;

  constructor(faults: readonly ResolvedFault[], random: Random) {
    this.#faults = faults.filter(({ kind }) => kind !== 'slow');
    this.#slow = faults.filter(({ kind }) => kind === 'slow');
    this.#random = random;
  }

  /** The fault that hits a request coming in now, if one does. */
  hitting(now: number): ResolvedFault | undefined {
    for (const fault of this.#faults) if (this.#hits(fault, now)) return fault;
    return undefined;
  }

  /** By how much work that starts now is slower than usual. */
  slowness(now: number): number {
    let factor = 1;
    for (const fault of this.#slow) if (this.#hits(fault, now)) factor *= fault.factor;
    return factor;
  }

  #hits({ from, to, share }: ResolvedFault, now: number): boolean {
    return now >= from && now < to && (share === 1 || this.#random() < share);
  }
}

/** How much longer work takes, `since` ms after an instance came up. */
export function coldness(cold: ResolvedRestart['cold'], since: number): number {
  if (cold === undefined || since >= cold.for) return 1;
  return cold.factor + ((1 - cold.factor) * since) / cold.for;
}

/**
 * When the last trouble that the scenario makes is over (a service that has come up again is still cold then);
 * undefined when it makes none, or it never ends.
 */
export function troubleEnd(services: Readonly<Record<string, ResolvedService>>): number | undefined {
  const ends = Object.values(services).flatMap(({ faults, restarts, instances }) => [
    ...faults.map(({ to }) => to),
    ...restarts.map(({ at, down, rolling }) => at + down + rolling * (instances - 1)),
  ]);
  const last = Math.max(Number.NEGATIVE_INFINITY, ...ends.filter((end) => end < Number.POSITIVE_INFINITY));
  return last === Number.NEGATIVE_INFINITY ? undefined : last;
}

/** When the first trouble begins. */
export function troubleStart(services: Readonly<Record<string, ResolvedService>>): number | undefined {
  const starts = Object.values(services).flatMap(({ faults, restarts }) => [
    ...faults.map(({ from }) => from),
    ...restarts.map(({ at }) => at),
  ]);
  return starts.length === 0 ? undefined : Math.min(...starts);
}
