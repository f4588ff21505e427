import type { ResolvedLimit } from '../../../src/config/resolved.js';
import { Gate, type GateOptions, type Verdict } from '../../../src/inbound/gate.js';
import { Guest, type RefusalReason } from '../../../src/inbound/guest.js';
import { rankOf } from '../../../src/inbound/request-facts.js';
import { type Criticality, type Random, VirtualClock } from '../../../src/index.js';

export interface GateBenchOptions {
  readonly limit?: ResolvedLimit | number;
  readonly queue?: Partial<GateOptions['queue']>;
  readonly shares?: GateOptions['shares'];
  readonly mode?: GateOptions['mode'];
  readonly random?: Random;
}

/** A gate under a manual clock, with guests that write down what happens to them. */
export class GateBench {
  readonly clock: VirtualClock = new VirtualClock();
  readonly gate: Gate;
  /** What happened, in order: `a admitted`, `b refused: queue`. */
  readonly log: string[] = [];
  turns: (() => void)[] = [];
  idleMs = 0;
  /** Each comes on a connection of its own. */
  connects = false;
  /** Processor time of the process; left out: it has it all. */
  cpuMs: number | undefined;

  constructor(options: GateBenchOptions) {
    const { limit = 1, queue, shares = {}, mode = 'enforce', random = () => 0 } = options;
    this.gate = new Gate(
      {
        limit: typeof limit === 'number' ? { kind: 'fixed', limit } : limit,
        queue: { size: 0, order: 'fifo', waitMs: 500, ...queue },
        shares,
        mode,
      },
      {
        clock: this.clock,
        random,
        loop: {
          onNextTurn: (then) => this.turns.push(then),
          idleMs: () => this.idleMs,
          cpuMs: () => this.cpuMs ?? this.clock.now(),
        },
      },
    );
  }

  /** A guest knocks. */
  guest(name: string, priority: Criticality = 'critical', patienceMs = Number.POSITIVE_INFINITY): TestGuest {
    const guest = new TestGuest(this, name, priority, this.clock.now() + patienceMs);
    guest.verdict = this.gate.enter(guest, this.clock.now());
    return guest;
  }

  leave(guest: TestGuest, end: 'success' | 'ignored' | 'dropped' = 'success'): void {
    this.gate.leave(guest, end, this.clock.now());
  }

  /** Lets the turn begin whose I/O has been delivered. */
  turn(): void {
    const due = this.turns;
    this.turns = [];
    for (const then of due) then();
  }

  get state(): { inFlight: number; queued: number; limit: number } {
    const { inFlight, queued, limit } = this.gate.snapshot();
    return { inFlight, queued, limit };
  }
}

export class TestGuest extends Guest {
  readonly name: string;
  readonly patience: number;
  readonly #bench: GateBench;
  verdict: Verdict | undefined;
  retryAfterMs: number | undefined;

  constructor(bench: GateBench, name: string, priority: Criticality, patience: number) {
    super();
    this.#bench = bench;
    this.name = name;
    this.rank = rankOf(priority);
    this.patience = patience;
  }

  onTimer(): void {
    this.#bench.gate.waitedTooLong(this, this.#bench.clock.now());
  }

  override get isFirst(): boolean {
    return this.#bench.connects;
  }

  get isStreaming(): boolean {
    return false;
  }

  watchHeaders(): void {
    // has no answer
  }

  onAdmitted(): void {
    this.#bench.log.push(`${this.name} admitted`);
  }

  onRefused(reason: RefusalReason, retryAfterMs: number): void {
    this.retryAfterMs = retryAfterMs;
    this.#bench.log.push(`${this.name} refused: ${reason}`);
  }

  onPardoned(reason: RefusalReason): void {
    this.#bench.log.push(`${this.name} pardoned: ${reason}`);
  }
}
