// One server of the chain in a process of its own: `hop-process.js <role> [<url of the next>] [<attempts>] [<owner>]`.
import { startDatabase } from './database.js';
import { startGateway } from './gateway.js';
import type { Hop, HopOptions } from './hop.js';
import { startInventory } from './inventory.js';
import { startOrders } from './orders.js';

/** What the process tells its parent. */
export interface HopReport {
  readonly url: string;
  readonly hits: number;
  readonly budgets: readonly (number | undefined)[];
}

const START: Readonly<Record<string, (options: HopOptions) => Promise<Hop>>> = {
  gateway: startGateway,
  orders: startOrders,
  inventory: startInventory,
  database: () => startDatabase(),
};

async function run([role = '', next = '', attempts = '4', owner = 'here']: readonly string[]): Promise<void> {
  const start = START[role];
  if (start === undefined) throw new Error(`No server of the chain is called '${role}'`);
  const hop = await start({
    next,
    attempts: Number(attempts),
    owner: owner === 'ignore' ? 'ignore' : 'here',
  });
  const report = (): void => {
    const { url, hits, budgets } = hop;
    process.send?.({ url, hits, budgets } satisfies HopReport);
  };
  process.on('message', report);
  process.once('disconnect', () => hop.close().then(() => process.exit(0)));
  report();
}

run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
