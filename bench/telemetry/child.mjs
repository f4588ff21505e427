// One variant, named by the argument, in a process of its own: nanoseconds of processor time for an operation.
import { fileURLToPath } from 'node:url';

const OPERATIONS = Number(process.env.OPERATIONS ?? 200_000);
const variant = process.argv[2];
const core =
  variant === 'bare'
    ? process.env.WITHOUT_EMITS
    : fileURLToPath(new URL('../../packages/core/dist', import.meta.url));
const { createSpillway } = await import(`${core}/index.js`);
const spillway = createSpillway({ dependencies: { db: {} } });
if (variant === 'empty') spillway.subscribe(() => {});
let metrics;
if (variant === 'prometheus') {
  const { prometheus } = await import('../../packages/telemetry/dist/prometheus/index.js');
  metrics = prometheus(spillway);
}
const db = spillway.dependency('db');
const done = Promise.resolve(1);
const query = () => done;

async function run() {
  for (let i = 0; i < OPERATIONS; i++) await db.call(query);
}

await run();
const began = process.cpuUsage();
await run();
const { user, system } = process.cpuUsage(began);
const text = await metrics?.registry.metrics();
if (text !== undefined && !text.includes('outcome="success"')) throw new Error('nothing was counted');
process.send(((user + system) * 1000) / OPERATIONS);
process.once('disconnect', () => process.exit(0));
