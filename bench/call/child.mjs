// One variant in a process of its own: nanoseconds of processor time per operation, once its code is compiled.
import { VARIANTS } from './variants.mjs';

const name = process.argv[2];
const WARM_MS = Number(process.env.WARM_MS ?? 500);
const MEASURED_MS = Number(process.env.MEASURED_MS ?? 500);
/** Operations that sleep before they retry run side by side, so that the sleep itself costs nothing. */
const AT_ONCE = name.includes('half') ? 500 : 1;
const BLOCK = 2000;

async function block(operation) {
  for (let i = 0; i < BLOCK; i += AT_ONCE) {
    try {
      if (AT_ONCE === 1) await operation();
      else await Promise.allSettled(Array.from({ length: AT_ONCE }, operation));
    } catch {
      // a refusal is what some variants measure
    }
  }
}

async function run(operation, ms) {
  const cpu = process.cpuUsage();
  const end = performance.now() + ms;
  let operations = 0;
  while (performance.now() < end) {
    await block(operation);
    operations += BLOCK;
  }
  const { user, system } = process.cpuUsage(cpu);
  return ((user + system) * 1000) / operations;
}

const operation = await VARIANTS[name]();
await run(operation, WARM_MS);
process.send(await run(operation, MEASURED_MS));
process.once('disconnect', () => process.exit(0));
