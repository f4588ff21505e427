import { BreakerMachine, type BreakerMachineOptions } from '../../src/algorithms/breaker.js';

export const DEFAULTS: BreakerMachineOptions = {
  window: { ms: 30_000 },
  minCalls: 20,
  failureRate: 0.5,
  consecutive: undefined,
  slow: undefined,
  openForMs: 5000,
  maxOpenForMs: 60_000,
  jitter: 0,
  probes: { count: 3, rate: undefined },
  leaseMs: 5000,
  operationsWindow: false,
};

/** A breaker, the moves it made, and short ways to feed it. */
export class Bench {
  readonly moves: string[] = [];
  readonly machine: BreakerMachine;

  constructor(options: Partial<BreakerMachineOptions> = {}, random: () => number = () => 0.5) {
    this.machine = new BreakerMachine({ ...DEFAULTS, ...options }, random, (from, to, now, openMs) => {
      this.moves.push(`${now} ${from} -> ${to}${openMs === undefined ? '' : ` for ${openMs}`}`);
    });
  }

  /** One call after the other at `now`: S success, E failure, I ignored. Returns the state after each. */
  feed(results: string, now = 0, durationMs = 1): string[] {
    return [...results].map((result) => {
      const ticket = this.machine.admit(now);
      this.machine.record(ticket, NAMES[result] ?? 'ignored', durationMs, now);
      return this.machine.state(now);
    });
  }

  /** Admits `count` calls at `now`. */
  admit(count: number, now: number): number[] {
    return Array.from({ length: count }, () => this.machine.admit(now));
  }
}

const NAMES: Readonly<Record<string, 'success' | 'failure'>> = { S: 'success', E: 'failure' };
