import { randomUUID } from 'node:crypto';
import { type Clock, Timer } from '@spillway/core';
import { type Deliver, settlementOf, settlementOfError } from './delivery.js';
import type { OutboxSpillway } from './outbox-spillway.js';
import type { ClaimedWrite, OutboxStore, Settlement } from './outbox-store.js';
import type { Schedule } from './schedule.js';
import { WriteLease } from './write-lease.js';

export interface DispatcherOptions {
  readonly store: OutboxStore;
  readonly spillway: OutboxSpillway;
  readonly deliver: Deliver;
  readonly schedule: Schedule;
  readonly attempts: number;
  readonly concurrent: number;
  readonly leaseMs: number;
  readonly everyMs: number;
  readonly keepDoneMs: number;
  readonly clock: Clock;
  readonly onStoreError: (error: unknown) => void;
}

/** Between two clean-ups of delivered writes. Ms. */
const SWEEP_EVERY_MS = 60_000;

/** Takes writes that are due and sends them, a few at a time, until it is stopped. */
export class Dispatcher extends Timer {
  readonly #options: DispatcherOptions;
  /** Dependencies that refused, and until when nothing of theirs is tried. */
  readonly #paused = new Map<string, number>();
  #running = false;
  #looking = false;
  #again = false;
  #sending = 0;
  #sweepAt = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: DispatcherOptions) {
    super(false);
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.wake();
  }

  stop(): Promise<void> {
    this.#running = false;
    this.#options.clock.disarm(this);
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#checkIdle();
    });
  }

  /** Something may be due. */
  wake(): void {
    if (!this.#running) return;
    this.#again = true;
    if (!this.#looking) void this.#look();
  }

  /** Its breaker has closed: what waits for it is due now. */
  recovered(dependency: string): void {
    this.#paused.delete(dependency);
    this.#options.store.hurry(dependency).then(
      () => this.wake(),
      (error: unknown) => this.#options.onStoreError(error),
    );
  }

  onTimer(): void {
    this.wake();
  }

  async #look(): Promise<void> {
    const { clock, everyMs } = this.#options;
    this.#looking = true;
    try {
      while (this.#running && this.#again) {
        this.#again = false;
        await this.#take();
      }
      await this.#sweep();
    } catch (error) {
      // The next look tries again.
      this.#options.onStoreError(error);
    }
    this.#looking = false;
    if (this.#running) clock.arm(this, everyMs);
    this.#checkIdle();
  }

  async #take(): Promise<void> {
    const { store, leaseMs, concurrent } = this.#options;
    const free = concurrent - this.#sending;
    if (free <= 0) return;
    const writes = await store.claim(randomUUID(), leaseMs, free, this.#pausedNow());
    for (const write of writes) {
      this.#sending++;
      void this.#send(write);
    }
  }

  async #send(write: ClaimedWrite): Promise<void> {
    const { store, clock, leaseMs } = this.#options;
    const lease = new WriteLease(store, clock, write, leaseMs);
    const settlement = await this.#deliver(write, lease.signal);
    lease.end();
    if (settlement.kind === 'later' && !settlement.counted) this.#pause(write.dependency, settlement.afterMs);
    try {
      // what became another worker's is that worker's to settle
      if (!lease.isLost) await store.settle(write, settlement);
    } catch (error) {
      // It is sent again once its lease has lapsed, under the same key.
      this.#options.onStoreError(error);
    }
    this.#sending--;
    this.wake();
    this.#checkIdle();
  }

  async #deliver(write: ClaimedWrite, signal: AbortSignal): Promise<Settlement> {
    const { spillway, deliver, attempts, schedule } = this.#options;
    try {
      const answer = await spillway.dependency(write.dependency).call((attempt) => deliver(write, attempt), {
        idempotencyKey: write.key,
        fallback: false,
        operation: 'outbox',
        signal,
      });
      return settlementOf(answer.status, write, attempts, schedule);
    } catch (error) {
      return settlementOfError(error, write, attempts, schedule);
    }
  }

  #pause(dependency: string, ms: number): void {
    this.#paused.set(dependency, this.#options.clock.now() + ms);
  }

  #pausedNow(): readonly string[] {
    const now = this.#options.clock.now();
    for (const [dependency, until] of this.#paused) if (until <= now) this.#paused.delete(dependency);
    return [...this.#paused.keys()];
  }

  async #sweep(): Promise<void> {
    const { clock, store, keepDoneMs } = this.#options;
    if (clock.now() < this.#sweepAt) return;
    const swept = await store.sweep(keepDoneMs, 200);
    if (swept < 200) this.#sweepAt = clock.now() + SWEEP_EVERY_MS;
  }

  #checkIdle(): void {
    if (this.#running || this.#looking || this.#sending > 0) return;
    this.#onIdle?.();
  }
}
