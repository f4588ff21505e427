import { type Clock, Timer } from '@spillway/core';

/** How long somebody is still waiting for a store; handed to it so that it can give up in time and write nothing late. */
export interface TimeBox {
  /** Nobody waits any more. */
  readonly over: boolean;
  /** Milliseconds left; 0 once over. */
  readonly leftMs: number;
  /** Calls `listener` when the time is up, at once if it is; the result takes it off again. */
  whenOver(listener: () => void): () => void;
}

/** What a wait for a store rejects with when its time is up. */
export class StoreTimeout extends Error {
  constructor(ms: number) {
    super(`the idempotency store did not answer within ${ms} ms (storeTimeout)`);
    this.name = 'StoreTimeout';
  }
}

class ArmedBox extends Timer implements TimeBox {
  readonly #clock: Clock;
  readonly #until: number;
  readonly #expire: () => void;
  #over = false;
  #listeners: Set<() => void> | undefined;

  constructor(clock: Clock, ms: number, expire: () => void) {
    super();
    this.#clock = clock;
    this.#until = clock.now() + ms;
    this.#expire = expire;
    clock.arm(this, ms);
  }

  get over(): boolean {
    return this.#over || this.#clock.now() >= this.#until;
  }

  get leftMs(): number {
    return this.#over ? 0 : Math.max(0, this.#until - this.#clock.now());
  }

  whenOver(listener: () => void): () => void {
    if (this.#over) {
      listener();
      return nothing;
    }
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  onTimer(): void {
    this.end();
    this.#expire();
  }

  /** The wait is over, one way or the other. */
  end(): void {
    this.#clock.disarm(this);
    if (this.#over) return;
    this.#over = true;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }
}

function nothing(): void {}

/**
 * Waits for `ask` for at most `ms`, then rejects with StoreTimeout. An answer that comes later goes to `late`; an
 * error that comes later has been answered for already and is dropped.
 */
export function within<T>(
  clock: Clock,
  ms: number,
  ask: (box: TimeBox) => Promise<T>,
  late?: (value: T) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let waiting = true;
    const box = new ArmedBox(clock, ms, () => {
      waiting = false;
      reject(new StoreTimeout(ms));
    });
    const settle = (tell: () => void): void => {
      waiting = false;
      box.end();
      tell();
    };
    started(ask, box).then(
      (value) => {
        if (waiting) settle(() => resolve(value));
        else late?.(value);
      },
      (error: unknown) => {
        if (waiting) settle(() => reject(error));
      },
    );
  });
}

/** A store that throws instead of rejecting is treated alike. */
async function started<T>(ask: (box: TimeBox) => Promise<T>, box: TimeBox): Promise<T> {
  return ask(box);
}

/** Resolves after `ms`. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.arm(new PauseTimer(resolve), ms));
}

class PauseTimer extends Timer {
  readonly #resolve: () => void;

  constructor(resolve: () => void) {
    super();
    this.#resolve = resolve;
  }

  onTimer(): void {
    this.#resolve();
  }
}
