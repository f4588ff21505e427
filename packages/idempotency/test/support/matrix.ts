import type { Exchange, RunningApp } from './frameworks.js';
import { FRAMEWORKS, type Framework } from './frameworks.js';
import { allRigs, type StoreRig } from './store-rigs.js';

/** Every store behind every framework. */
export async function storesAndFrameworks() {
  const { makers, dispose } = await allRigs();
  const pairs = makers.flatMap(([store, make]) =>
    FRAMEWORKS.map(([name, framework]) => [store, name, make, framework] as const),
  );
  return { pairs, makers, dispose };
}

/** Apps and stores of one test, closed together. */
export class Bench {
  readonly #apps: RunningApp[] = [];
  readonly #rigs: StoreRig[] = [];

  async rig(make: () => Promise<StoreRig>): Promise<StoreRig> {
    const rig = await make();
    this.#rigs.push(rig);
    return rig;
  }

  async serve(
    framework: Framework,
    options: Parameters<Framework['serve']>[0],
    handler: (exchange: Exchange, run: number) => unknown,
    parse?: 'before' | 'after' | 'none',
  ): Promise<{ readonly url: string; readonly runs: () => number }> {
    let runs = 0;
    // Ample by default: two cores run the servers of every store at once here, and timing is the matter of few tests.
    const app = await framework.serve(
      { storeTimeout: '5s', ...options },
      (exchange) => handler(exchange, ++runs),
      parse,
    );
    this.#apps.push(app);
    return { url: app.url, runs: () => runs };
  }

  async close(): Promise<void> {
    await Promise.all(this.#apps.splice(0).map((app) => app.close()));
    await Promise.all(this.#rigs.splice(0).map((rig) => rig.dispose()));
  }
}
