import { after, type Clock, type Timer } from '@spillway/core';
import type { LetterFile } from './letter-file.js';

/** After a failed write the disk is left alone for this long. Ms. */
const COOL_MS = 1000;

export interface LetterBoxOptions {
  readonly file: Pick<LetterFile, 'append' | 'close'>;
  readonly clock: Clock;
  /** Letters that may wait for the disk. */
  readonly capacity: number;
  /** Told once when writing begins to fail. */
  readonly onFault: (error: unknown) => void;
}

/** Somebody who waits until the letters that were there when they came have been dealt with. */
interface Waiter {
  readonly until: number;
  readonly resolve: () => void;
}

/**
 * Letters on their way to the disk. Whoever drops one in never waits: a bounded queue holds what the disk has not
 * taken, what comes on top of that is counted and lost. One write runs at a time and takes all that waits.
 */
export class LetterBox {
  written = 0;
  dropped = 0;
  /** Times that writing began to fail. */
  faults = 0;
  #waiting: string[] = [];
  /** Letters ever taken in. */
  #taken = 0;
  #waiters: readonly Waiter[] = [];
  #isFailing = false;
  #isClosed = false;
  #writing: Promise<void> | undefined;
  #cooling: Timer | undefined;
  readonly #options: LetterBoxOptions;

  constructor(options: LetterBoxOptions) {
    this.#options = options;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  post(line: string): void {
    if (this.#isClosed || this.#waiting.length >= this.#options.capacity) {
      this.dropped++;
      return;
    }
    this.#taken++;
    this.#waiting.push(line);
    if (this.#cooling === undefined) this.#write();
  }

  /** Resolves when all that waits now is on disk, or the disk has refused it. Never rejects. */
  flush(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters = [...this.#waiters, { until: this.#taken, resolve }];
      this.#write();
    });
  }

  /** The same, for good: what the disk refuses now is lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    await this.#writing;
    this.#warm();
    this.dropped += this.#waiting.length;
    this.#waiting = [];
    await this.#options.file.close().catch((error: unknown) => this.#failed(error));
  }

  #write(): void {
    this.#warm();
    this.#writing ??= this.#drain();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        const count = await this.#options.file.append(this.#waiting);
        this.#waiting.splice(0, count);
        this.written += count;
        this.#isFailing = false;
        this.#tell(this.#taken - this.#waiting.length);
      } catch (error) {
        this.#failed(error);
        break;
      }
    }
    this.#writing = undefined;
    if (this.#waiting.length === 0) return;
    this.#cool();
    this.#tell(this.#taken);
  }

  #failed(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.faults++;
    this.#options.onFault(error);
  }

  /** Lets those go whose letters are among the first `settled`. */
  #tell(settled: number): void {
    const [done, others]: [Waiter[], Waiter[]] = [[], []];
    for (const waiter of this.#waiters) (waiter.until <= settled ? done : others).push(waiter);
    this.#waiters = others;
    for (const { resolve } of done) resolve();
  }

  #cool(): void {
    const again = (): void => {
      this.#cooling = undefined;
      this.#write();
    };
    this.#cooling = after(this.#options.clock, COOL_MS, again, false);
  }

  #warm(): void {
    if (this.#cooling === undefined) return;
    this.#options.clock.disarm(this.#cooling);
    this.#cooling = undefined;
  }
}
