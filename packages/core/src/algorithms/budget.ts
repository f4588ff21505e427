import type { ResolvedBudget } from '../config/resolved.js';
import { SlidingCount } from './sliding-count.js';

/** What a budget holds, for dashboards and tests. */
export interface BudgetView {
  /** Operations started in the window. */
  readonly operations: number;
  /** Retries granted in it. */
  readonly granted: number;
  /** Retries the window allows: ratio x operations + floor. */
  readonly allowed: number;
  /** Operations running now. */
  readonly inFlight: number;
  /** Granted retries that are asleep or running now. */
  readonly retrying: number;
}

/** Operations and grants of one tenant, or of all. */
class Account {
  readonly operations: SlidingCount;
  readonly grants: SlidingCount;
  /** Those of the grants that went beyond the tenant's own part. */
  readonly drawn: SlidingCount;
  usedAt = 0;

  constructor(windowMs: number) {
    this.operations = new SlidingCount(windowMs, 'down');
    this.grants = new SlidingCount(windowMs, 'up');
    this.drawn = new SlidingCount(windowMs, 'up');
  }
}

/** In whose name operations without a key run, when others have one. */
const NO_KEY = '';

/**
 * The retry budget of one dependency: at each grant, the retries granted in the trailing window, this one included,
 * are at most ratio x operations in it + floor; exactly, because operations are counted rounded down and grants
 * rounded up. Besides, retries asleep or running stay below a share of the operations in flight. With keys, the
 * ratio's part is per key, the floor and the concurrent part are shared.
 */
export class RetryBudget {
  readonly #options: ResolvedBudget;
  readonly #floor: number;
  readonly #all: Account;
  /** By key, least recently used first; undefined when the budget is not split. */
  readonly #accounts: Map<string, Account> | undefined;
  #inFlight = 0;
  #retrying = 0;

  constructor(options: ResolvedBudget) {
    this.#options = options;
    this.#floor = (options.minPerSecond * options.windowMs) / 1000;
    this.#all = new Account(options.windowMs);
    this.#accounts = options.key === false ? undefined : new Map();
  }

  operationStarted(now: number, key?: string): void {
    this.#inFlight++;
    this.#all.operations.add(now);
    if (this.#accounts !== undefined) this.#account(this.#accounts, now, key).operations.add(now);
  }

  /** It has settled. Until then it counts as in flight, while it sleeps between attempts too (C-061). */
  operationEnded(_key?: string): void {
    this.#inFlight--;
  }

  /** Asks for one retry; a granted one is charged and counts as running until `retryEnded` or `giveBack`. */
  tryGrant(now: number, key?: string): boolean {
    if (!this.#hasRoom() || !this.#isWithin(now, this.#all, this.#floor)) return false;
    if (this.#accounts !== undefined && !this.#charge(this.#account(this.#accounts, now, key), now))
      return false;
    this.#all.grants.add(now);
    this.#retrying++;
    return true;
  }

  /** The retry granted at `grantedAt` was never made: its charge and its place come back. */
  giveBack(grantedAt: number, now: number, key?: string): void {
    this.#retrying--;
    this.#all.grants.takeBack(grantedAt);
    const account = this.#accounts?.get(key ?? NO_KEY);
    if (account === undefined) return;
    account.grants.takeBack(grantedAt);
    // what it drew on the floor comes back as far as the tenant's other grants do not need it
    const needed = account.grants.count(now) - this.#options.ratio * account.operations.count(now);
    if (account.drawn.count(now) - 1 < needed) return;
    if (account.drawn.takeBack(grantedAt)) this.#all.drawn.takeBack(grantedAt);
  }

  /** The granted retry's attempt is over. */
  retryEnded(_key?: string): void {
    this.#retrying--;
  }

  view(now: number): BudgetView {
    const operations = this.#all.operations.count(now);
    return {
      operations,
      granted: this.#all.grants.count(now),
      allowed: this.#options.ratio * operations + this.#floor,
      inFlight: this.#inFlight,
      retrying: this.#retrying,
    };
  }

  /** How many keys it remembers. */
  get keys(): number {
    return this.#accounts?.size ?? 0;
  }

  #hasRoom(): boolean {
    const { concurrent } = this.#options;
    if (concurrent === undefined) return true;
    return this.#retrying < Math.max(concurrent.min, concurrent.ratio * this.#inFlight);
  }

  #isWithin(now: number, account: Account, floor: number): boolean {
    return account.grants.count(now) + 1 <= this.#options.ratio * account.operations.count(now) + floor;
  }

  /** Charges a tenant: its own part first, then what the others have left of the floor. */
  #charge(account: Account, now: number): boolean {
    if (!this.#isWithin(now, account, 0)) {
      const drawnByOthers = this.#all.drawn.count(now) - account.drawn.count(now);
      if (!this.#isWithin(now, account, this.#floor - drawnByOthers)) return false;
      account.drawn.add(now);
      this.#all.drawn.add(now);
    }
    account.grants.add(now);
    return true;
  }

  #account(accounts: Map<string, Account>, now: number, key: string = NO_KEY): Account {
    let account = accounts.get(key);
    if (account === undefined) {
      this.#makeRoom(accounts, now);
      account = new Account(this.#options.windowMs);
    } else accounts.delete(key);
    account.usedAt = now;
    accounts.set(key, account);
    return account;
  }

  #makeRoom(accounts: Map<string, Account>, now: number): void {
    for (const [key, { usedAt }] of accounts) {
      const isEmpty = usedAt <= now - this.#options.windowMs;
      if (!isEmpty && accounts.size < this.#options.maxKeys) return;
      accounts.delete(key);
    }
  }
}
