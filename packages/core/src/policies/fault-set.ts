import type { FaultKind } from '../telemetry/events.js';
import { after, type Clock, type Timer } from '../time/clock.js';
import type { Random } from '../time/random.js';
import type { InjectedAnswer, ResolvedFault } from './fault-options.js';

/** A fault injected at a dependency. */
export interface FaultSnapshot {
  readonly kind: FaultKind;
  readonly share: number;
  readonly latencyMs: number;
  readonly status: number | undefined;
  /** Code or name of the error. */
  readonly error: string | undefined;
  /** Time left; undefined: until it is undone. */
  readonly leftMs: number | undefined;
  /** Attempts that have suffered it. */
  readonly struck: number;
}

/** A fault while it is in force. */
export interface ActiveFault {
  readonly fault: ResolvedFault;
  /** Ends at this instant. */
  readonly until: number;
  /** Attempts that have suffered it. */
  struck: number;
  timer: Timer | undefined;
}

/** The faults in force at one dependency. */
export class FaultSet {
  readonly #clock: Clock;
  readonly #active: Set<ActiveFault> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get empty(): boolean {
    return this.#active.size === 0;
  }

  /** @param ended told once it has ended by itself */
  add(fault: ResolvedFault, ended: () => void): ActiveFault {
    const active: ActiveFault = {
      fault,
      until: this.#clock.now() + fault.lastsMs,
      struck: 0,
      timer: undefined,
    };
    this.#active.add(active);
    const end = () => {
      this.remove(active);
      ended();
    };
    active.timer = after(this.#clock, fault.lastsMs, end, false);
    return active;
  }

  remove(active: ActiveFault): void {
    this.#active.delete(active);
    if (active.timer !== undefined) this.#clock.disarm(active.timer);
  }

  has(active: ActiveFault): boolean {
    return this.#active.has(active) && this.#clock.now() < active.until;
  }

  clear(): void {
    for (const active of [...this.#active]) this.remove(active);
  }

  /** The fault that befalls the attempt that starts now: the first, by age, whose share it falls into. */
  strike(random: Random): ActiveFault | undefined {
    const now = this.#clock.now();
    for (const active of this.#active) {
      // a busy loop may fire its timer late
      if (now >= active.until) continue;
      if (active.fault.share < 1 && random() >= active.fault.share) continue;
      active.struck++;
      return active;
    }
    return undefined;
  }

  snapshot(now: number): FaultSnapshot[] {
    const running = [...this.#active].filter(({ until }) => now < until);
    return running.map(({ fault, until, struck }) => {
      const { kind, share, latencyMs, answer } = fault;
      const leftMs = until === Number.POSITIVE_INFINITY ? undefined : until - now;
      return { kind, share, latencyMs, ...told(answer), leftMs, struck };
    });
  }
}

/** An error by its name: its message may hold what is nobody else's business. */
function told(answer: InjectedAnswer | undefined): Pick<FaultSnapshot, 'status' | 'error'> {
  if (answer === undefined) return { status: undefined, error: undefined };
  if ('status' in answer) return { status: answer.status, error: undefined };
  return { status: undefined, error: 'code' in answer ? answer.code : answer.error.name };
}
