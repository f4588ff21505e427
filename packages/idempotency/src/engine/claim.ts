import { Timer } from '@spillway/core';
import { shownKey } from './hash.js';
import type { Checkpoints } from './machine.js';
import { type StoreAccess, told } from './store-access.js';

/** How a run's end went into the store. */
export type Ending = 'completed' | 'released' | 'stale' | 'unsaved';

/**
 * A key that is being worked on: keeps the lease alive until the work has ended, and ends exactly once. A worker
 * whose lease lapsed, because its process stood still or the store was away, finds its token refused and changes
 * nothing of the new owner's.
 */
export class Claim extends Timer {
  readonly key: string;
  readonly token: string;
  readonly attempt: number;
  /** An earlier run of this key never ended: look at the checkpoints before doing anything twice. */
  readonly recovered: boolean;
  readonly #access: StoreAccess;
  readonly #beganAt: number;
  readonly #checkpoints: Record<string, string>;
  #ended: Promise<Ending> | undefined;
  #lost = false;
  #controller: AbortController | undefined;

  constructor(access: StoreAccess, key: string, token: string, attempt: number, checkpoints: Checkpoints) {
    super(false);
    this.#access = access;
    this.key = key;
    this.token = token;
    this.attempt = attempt;
    this.recovered = attempt > 1;
    this.#checkpoints = { ...checkpoints };
    this.#beganAt = access.clock.now();
    access.clock.arm(this, access.leaseMs / 3);
  }

  /** The key has a new owner: whatever this run still does will not be recorded. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Aborts when the key is lost. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#lost && !this.#controller.signal.aborted) this.#controller.abort(lostReason());
    return this.#controller.signal;
  }

  /** What `checkpoint(name, data)` of this or an earlier run stored; undefined when none did. */
  saved(name: string): unknown {
    return Object.hasOwn(this.#checkpoints, name)
      ? (JSON.parse(this.#checkpoints[name] as string) as unknown)
      : undefined;
  }

  /**
   * Notes durably that a part of the work is done.
   * @throws StoreTimeout or the store's error when it was not noted; ERR-like Error when the key is lost
   */
  async checkpoint(name: string, data: unknown): Promise<void> {
    const text = JSON.stringify(data ?? null);
    const kept = await this.#access.checkpoint(this.key, this.token, name, text);
    if (!kept) {
      this.#lose();
      throw lostReason();
    }
    this.#checkpoints[name] = text;
  }

  /** Stores the answer. Resolves within the store timeout; never rejects. */
  complete(answer: string | null): Promise<Ending> {
    this.#ended ??= this.#complete(answer);
    return this.#ended;
  }

  /** Frees the key. Resolves within the store timeout; never rejects. */
  release(): Promise<Ending> {
    this.#ended ??= this.#release();
    return this.#ended;
  }

  /** The answer went into the store with the work's own transaction, or was refused there. */
  committed(stale: boolean): void {
    this.#stop();
    if (stale) this.#lose();
    this.#ended ??= Promise.resolve(this.#told(stale ? 'stale' : 'completed'));
  }

  /** Stops renewing: the key is free once the lease has lapsed, unless the work ends before. */
  letLapse(): void {
    this.#stop();
  }

  /** Stops renewing without a word: the lease lapses by itself. */
  abandon(): void {
    this.#stop();
    this.#ended ??= Promise.resolve(this.#told('unsaved'));
  }

  onTimer(): void {
    void this.#renew().catch(told);
  }

  async #renew(): Promise<void> {
    const { clock, leaseMs } = this.#access;
    // Armed before the answer is there: a store that hangs must not stop the next try.
    clock.arm(this, leaseMs / 3);
    const kept = await this.#access.renew(this.key, this.token);
    if (!kept && this.#ended === undefined) this.#lose();
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#stop();
    if (this.#access.heard) {
      this.#access.emit({
        type: 'idempotency.lost',
        at: this.#access.clock.now(),
        key: shownKey(this.key),
      });
    }
    this.#controller?.abort(lostReason());
  }

  async #complete(answer: string | null): Promise<Ending> {
    this.#stop();
    try {
      return this.#told(await this.#save(answer));
    } catch {
      // Emitted by the access. The effect has happened: go on telling the store for as long as the key is ours.
      new Insist(this.#access, this.key, this.token, answer).start();
      return this.#told('unsaved');
    }
  }

  async #save(answer: string | null): Promise<Ending> {
    return (await this.#access.complete(this.key, this.token, answer)) ? 'completed' : 'stale';
  }

  async #release(): Promise<Ending> {
    this.#stop();
    try {
      return this.#told((await this.#access.release(this.key, this.token)) ? 'released' : 'stale');
    } catch {
      return this.#told('unsaved');
    }
  }

  #told(outcome: Ending): Ending {
    const { clock } = this.#access;
    if (this.#access.heard) {
      const at = clock.now();
      const key = shownKey(this.key);
      this.#access.emit({ type: 'idempotency.end', at, key, outcome, durationMs: at - this.#beganAt });
    }
    return outcome;
  }

  #stop(): void {
    this.#access.clock.disarm(this);
  }
}

function lostReason(): Error {
  return new Error('the idempotency key was taken over by another run: the lease of this one had lapsed');
}

/** Tries again to store an answer that the store did not take, for one lease. The token keeps a late one harmless. */
class Insist extends Timer {
  readonly #access: StoreAccess;
  readonly #key: string;
  readonly #token: string;
  readonly #answer: string | null;
  readonly #until: number;

  constructor(access: StoreAccess, key: string, token: string, answer: string | null) {
    super(false);
    this.#access = access;
    this.#key = key;
    this.#token = token;
    this.#answer = answer;
    this.#until = access.clock.now() + access.leaseMs;
  }

  start(): void {
    const { clock, leaseMs } = this.#access;
    if (clock.now() < this.#until) clock.arm(this, leaseMs / 10);
  }

  onTimer(): void {
    this.#access.complete(this.#key, this.#token, this.#answer).catch(() => this.start());
  }
}
