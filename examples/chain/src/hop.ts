import { createSpillway, type DependencyConfig, type Spillway } from '@spillway/core';

/** How one server of the chain is set up. */
export interface HopOptions {
  /** Where the server below listens. */
  readonly next: string;
  /** Attempts of its calls to the one below, the first included. */
  readonly attempts: number;
  /** `here`: who is nearest to the failure retries. `ignore`: everybody does. */
  readonly owner: 'here' | 'ignore';
  /** More of its policy for the server below. */
  readonly policy?: DependencyConfig<never>;
}

/** A running server of the chain. */
export interface Hop {
  readonly url: string;
  /** Requests that reached it. */
  readonly hits: number;
  /** The time that each of them had left on arrival, in ms. */
  readonly budgets: readonly (number | undefined)[];
  /** The database stand-in has none. */
  readonly spillway?: HopSpillway;
  close(): Promise<void>;
}

export type HopSpillway = Spillway<{ next: never }>;

/** What a server of the chain counts. */
export class HopLog {
  hits = 0;
  readonly budgets: (number | undefined)[] = [];

  note(budgetMs: number | undefined): void {
    this.hits++;
    this.budgets.push(budgetMs);
  }
}

/** Nothing limits the retries of a hop but their ownership: no breaker, no budget, deadlines long enough. */
export function hopSpillway(service: string, { next, attempts, owner, policy }: HopOptions): HopSpillway {
  return createSpillway<{ next: never }>({
    service,
    inbound: {
      deadline: { default: '2m', max: '2m' },
      concurrency: 10_000,
      trust: ['127.0.0.0/8', '::1/128'],
    },
    dependencies: {
      next: {
        baseUrl: next,
        deadline: '2m',
        attempt: { timeout: '1m' },
        retry: { attempts, backoff: { base: '5ms', cap: '20ms' }, budget: false, owner },
        breaker: false,
        ...policy,
      },
    },
  });
}
