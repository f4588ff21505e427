import { HopProcess } from './processes.js';

/** Requests that reached each server, counted by that server. */
export interface ChainCounts {
  readonly gateway: number;
  readonly orders: number;
  readonly inventory: number;
  readonly database: number;
}

/** The four servers, each in a process of its own, the last one failing every call. */
export class Chain {
  readonly #hops: Readonly<Record<keyof ChainCounts, HopProcess>>;

  private constructor(hops: Readonly<Record<keyof ChainCounts, HopProcess>>) {
    this.#hops = hops;
  }

  static async start(owner: 'here' | 'ignore', attempts = 4): Promise<Chain> {
    const how = [String(attempts), owner];
    const database = await HopProcess.start('database');
    const inventory = await HopProcess.start('inventory', database.url, ...how);
    const orders = await HopProcess.start('orders', inventory.url, ...how);
    const gateway = await HopProcess.start('gateway', orders.url, ...how);
    return new Chain({ gateway, orders, inventory, database });
  }

  get url(): string {
    return this.#hops.gateway.url;
  }

  /** Asks once, with a deadline, and tells what came of it. */
  async ask(): Promise<{ readonly status: number; readonly shouldRetry: string | null }> {
    const answer = await fetch(this.url, { headers: { 'X-Request-Budget-Ms': '60000' } });
    await answer.arrayBuffer();
    return { status: answer.status, shouldRetry: answer.headers.get('x-should-retry') };
  }

  async counts(): Promise<ChainCounts> {
    const { gateway, orders, inventory, database } = this.#hops;
    const reports = await Promise.all([gateway, orders, inventory, database].map((hop) => hop.report()));
    const [g = 0, o = 0, i = 0, d = 0] = reports.map(({ hits }) => hits);
    return { gateway: g, orders: o, inventory: i, database: d };
  }

  /** The time left on arrival at each server, of the first request that reached it. */
  async budgets(): Promise<readonly (number | undefined)[]> {
    const hops = Object.values(this.#hops);
    return (await Promise.all(hops.map((hop) => hop.report()))).map(({ budgets }) => budgets[0]);
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#hops).map((hop) => hop.stop()));
  }
}
