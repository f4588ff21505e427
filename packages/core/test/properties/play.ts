import {
  Call,
  createSpillway,
  type Dependency,
  nextTurn,
  type Outcome,
  type ResolvedDependency,
  type Spillway,
  type SpillwayEvent,
  type SpillwaySnapshot,
  seededRandom,
  VirtualClock,
} from '../../src/index.js';
import { promisesSettled } from '../../src/time/system-clock.js';
import { countListeners, type Listeners } from './listeners.js';
import type { Script, ScriptedOperation } from './script.js';
import { Works } from './works.js';

/** What one operation's caller saw. */
export interface Seen {
  readonly operation: ScriptedOperation;
  /** Number of the operation in events. */
  readonly id: number;
  readonly startedAt: number;
  /** What the caller got, as text. */
  result: string;
  error: unknown;
  settledAt: number;
  /** Did the promise that never rejects reject? */
  rejected: boolean;
  /** Left on its own signal and parent in the turn in which it settled. */
  listenersLeft: number;
  /** What its work threw. */
  readonly thrown: unknown[];
  cancelled: Cancelled | undefined;
}

/** What cancelling an operation brought about. */
export interface Cancelled {
  readonly reason: unknown;
  /** Had it settled before? */
  readonly late: boolean;
  /** Signals of running attempts that had not heard of it, or not why, when `abort()` returned. */
  readonly unheard: number;
  /** Had it settled by the end of the turn? */
  sameTurn: boolean;
}

/** What stood when everything that follows from a settled operation had its turn. */
export interface Pause {
  readonly at: number;
  /** Operations that have not settled. */
  readonly unsettled: number;
  /** Pieces of work that run, and those of which the bulkhead has let go since the start. */
  readonly works: number;
  readonly letGo: number;
  /** Spillway's timers. */
  readonly timers: number;
  readonly snapshot: SpillwaySnapshot;
  /** How many events there were. */
  readonly events: number;
}

export interface Played {
  readonly script: Script;
  readonly options: ResolvedDependency;
  readonly events: readonly SpillwayEvent[];
  /** What each operation's caller got, as text. */
  readonly results: readonly string[];
  readonly seen: readonly Seen[];
  readonly pauses: readonly Pause[];
  /** Most pieces of work at once of which the bulkhead had not let go. */
  readonly mostWorks: number;
  /** When all had ended. */
  readonly end: Pause;
  /** The same after an idle time of every window and more. */
  readonly idle: SpillwaySnapshot;
}

export interface PlayOptions {
  readonly link?: 'layered';
  readonly observed?: boolean;
  /** Reads the state whenever something happens. */
  readonly reads?: boolean;
}

/** Plays a script to its end under virtual time. */
export async function play(script: Script, options: PlayOptions = {}): Promise<Played> {
  return new Player(script, options).play();
}

class Player {
  readonly #script: Script;
  readonly #options: PlayOptions;
  readonly #clock = new VirtualClock({ between: 'promises' });
  readonly #events: SpillwayEvent[] = [];
  readonly #works: Works;
  readonly #seen: Seen[] = [];
  readonly #pauses: Pause[] = [];
  readonly #spillway: Spillway<{ dep: unknown }>;
  readonly #dep: Dependency<unknown>;
  #unsettled = 0;
  #letGo = 0;

  constructor(script: Script, options: PlayOptions) {
    this.#script = script;
    this.#options = options;
    this.#works = new Works(this.#clock, () => this.#letGo);
    this.#spillway = createSpillway<{ dep: unknown }>(
      { strict: false, dependencies: { dep: script.dependency } },
      {
        clock: this.#clock,
        random: seededRandom(script.seed),
        observers: options.observed === false ? [] : [(event) => this.#observe(event)],
        ...(options.link && { link: options.link }),
      },
    );
    this.#dep = this.#spillway.dependency('dep');
  }

  async play(): Promise<Played> {
    const { operations, wallStep, dependency } = this.#script;
    operations.forEach((op, index) => {
      this.#works.later(op.at + this.#own(index, 25), () => void this.#start(op, index));
    });
    await this.#clock.advance(750);
    if (wallStep !== undefined) this.#clock.shiftWall(wallStep);
    await this.#clock.runToIdle(60_000);
    const end = this.#pause();
    const { breaker } = dependency;
    const ran = typeof breaker === 'object' && typeof breaker.window === 'number' ? breaker.window : 0;
    await this.#clock.advance(Math.max(ran, BUDGET_IDLE_MS));
    // in a turn of its own, a rejection that nobody handled is told while its test runs
    await nextTurn();
    return {
      script: this.#script,
      options: this.#dep.options,
      events: this.#events,
      results: operations.map((op) => this.#seen.find((one) => one.operation === op)?.result ?? 'unstarted'),
      seen: this.#seen,
      pauses: this.#pauses,
      mostWorks: this.#works.most,
      end,
      idle: this.#spillway.snapshot(),
    };
  }

  /** Each operation's instants may have a fraction of their own. */
  #own(index: number, n: number): number {
    return this.#script.apart ? (index * 32 + n + 1) / 4096 : 0;
  }

  #observe(event: SpillwayEvent): void {
    this.#events.push(event);
    if (event.type === 'bulkhead.reattached' && event.gaveUp) this.#letGo++;
    if (this.#options.reads === true) this.#read();
  }

  #read(): void {
    // before the constructor is done nothing happens, so both are there
    const { breaker } = this.#dep;
    this.#spillway.snapshot();
    if (this.#script.dependency.breaker === false) return;
    void [breaker.state, breaker.retryAfterMs, breaker('other').state, breaker.export()];
  }

  async #start(op: ScriptedOperation, index: number): Promise<void> {
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const parent = op.parentMs === undefined ? undefined : this.#parent(op.parentMs + this.#own(index, 23));
    const own = (n: number) => this.#own(index, n);
    const work = this.#works.of(op, own);
    const done = this.#dep.settle(work.run, {
      signal: controller.signal,
      idempotent: op.idempotent,
      ...(parent && { parent }),
      ...(op.deadlineMs !== undefined && { deadline: op.deadlineMs + own(21) }),
      ...(op.fallback !== 'none' && { fallback: this.#works.fallback(op.fallback, own(22)) }),
    });
    this.#unsettled++;
    const seen = this.#noteStart(op, work.thrown);
    const cancel = (reason: Error) =>
      op.cancelBy === 'parent' && parent ? parent.cancel(reason) : controller.abort(reason);
    if (op.cancelAfter !== undefined)
      this.#works.later(op.cancelAfter + own(20), () => this.#cancel(seen, work.signals, cancel));
    await this.#settle(seen, done, listeners, parent);
  }

  #parent(ms: number): Call {
    return new Call(this.#clock, undefined, this.#clock.now() + ms);
  }

  #noteStart(operation: ScriptedOperation, thrown: unknown[]): Seen {
    const seen: Seen = {
      operation,
      id: this.#seen.length + 1,
      startedAt: this.#clock.now(),
      result: 'unsettled',
      error: undefined,
      settledAt: Number.POSITIVE_INFINITY,
      rejected: false,
      listenersLeft: 0,
      thrown,
      cancelled: undefined,
    };
    this.#seen.push(seen);
    return seen;
  }

  async #settle(
    seen: Seen,
    done: Promise<Outcome<unknown>>,
    listeners: Listeners,
    parent: Call | undefined,
  ): Promise<void> {
    try {
      const { ok, value, error } = await done;
      seen.result = ok ? `ok ${typeof value === 'string' ? value : 'response'}` : `error ${text(error)}`;
      seen.error = error;
    } catch (error) {
      seen.rejected = true;
      seen.result = `rejected ${String(error)}`;
    }
    this.#unsettled--;
    seen.settledAt = this.#clock.now();
    seen.listenersLeft = listeners.count + (parent?.listenerCount ?? 0);
    await promisesSettled();
    this.#pauses.push(this.#pause());
  }

  #cancel(seen: Seen, signals: ReadonlySet<AbortSignal>, cancel: (reason: Error) => void): void {
    const reason = new Error('cancelled by the script');
    const late = seen.settledAt <= this.#clock.now();
    const running = [...signals].filter(({ aborted }) => !aborted);
    cancel(reason);
    const unheard = running.filter((signal) => signal.reason !== reason).length;
    const cancelled: Cancelled = { reason, late, unheard, sameTurn: false };
    seen.cancelled = cancelled;
    // every promise chain that can go on has by then, and the clock stands still until later
    void promisesSettled().then(() => {
      cancelled.sameTurn = seen.settledAt <= this.#clock.now();
    });
  }

  #pause(): Pause {
    return {
      at: this.#clock.now(),
      unsettled: this.#unsettled,
      works: this.#works.running,
      letGo: this.#letGo,
      timers: this.#clock.pending - this.#works.timers,
      snapshot: this.#spillway.snapshot(),
      events: this.#events.length,
    };
  }
}

/** The window of scripted budgets, and one slice more for what rounding keeps longer. */
const BUDGET_IDLE_MS = 400 * 1.1;

function text(error: unknown): string {
  const { code, stopped, message } = error as { code?: string; stopped?: string; message?: string };
  return `${code ?? message} ${stopped ?? ''}`.trim();
}
