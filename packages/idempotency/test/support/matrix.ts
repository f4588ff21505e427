import type { Exchange, RunningApp } from './frameworks.js';
import { FRAMEWORKS, type Framework } from './frameworks.js';
import { allRigs, type StoreRig } from './store-rigs.js';

/** In CI and at night every store behind every framework. */
const HAS_TIME = Boolean(process.env['CI'] ?? process.env['NIGHTLY']);

/** Every store behind the first framework, and every framework in front of the first store, at the least. */
export async function storesAndFrameworks() {
  const { makers, dispose } = await allRigs();
  const all = makers.flatMap(([store, make], s) =>
    FRAMEWORKS.map(([name, framework], f) => ({
      isEdge: s * f === 0,
      pair: [store, name, make, framework] as const,
    })),
  );
  const pairs = all.filter(({ isEdge }) => isEdge || HAS_TIME).map(({ pair }) => pair);
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
