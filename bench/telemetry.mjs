// What telemetry costs an operation: nobody listening against a build without the emit calls, an observer that does
// nothing, and Prometheus. Each in a process of its own, asked in turns, so rounds are paired and none spoils another's
// compiled code. Processor time, which a busy machine disturbs least.
//   node bench/telemetry.mjs            ROUNDS=30 OPERATIONS=60000
// Needs `npm run build`. Exit code 1 when a limit is broken.
import { fork } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './support/statistics.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 30);
const OPERATIONS = Number(process.env.OPERATIONS ?? 60_000);
const root = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(root, 'packages/core/dist');
// beside node_modules, where the copy finds what it imports
const BARE = join(root, 'packages/core/node_modules/.cache/without-emits');
const VARIANTS = ['bare', 'unheard', 'empty', 'prometheus'];

async function work(variant) {
  const dist = variant === 'bare' ? BARE : DIST;
  const { createSpillway } = await import(join(dist, 'index.js'));
  const spillway = createSpillway({ dependencies: { db: {} } });
  if (variant === 'empty') spillway.subscribe(() => {});
  let metrics;
  if (variant === 'prometheus') {
    const { prometheus } = await import('../packages/telemetry/dist/prometheus/index.js');
    metrics = prometheus(spillway);
  }
  const db = spillway.dependency('db');
  const done = Promise.resolve(1);
  const query = () => done;
  process.on('message', async (operations) => {
    const began = process.cpuUsage();
    for (let i = 0; i < operations; i++) await db.call(query);
    const { user, system } = process.cpuUsage(began);
    process.send(((user + system) * 1000) / operations);
  });
  process.send('ready');
  process.on('disconnect', async () => {
    const text = await metrics?.registry.metrics();
    if (text !== undefined && !text.includes('outcome="success"')) throw new Error('nothing was counted');
  });
}

/** The same build with every `emit.enabled` as the constant it would be without listeners: compilers drop the rest. */
function stripEmits() {
  rmSync(BARE, { recursive: true, force: true });
  cpSync(DIST, BARE, { recursive: true });
  let stripped = 0;
  for (const name of readdirSync(BARE, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const text = readFileSync(join(BARE, name), 'utf8');
    const bare = text.replace(/(?:[\w#]+\.)*\bemit\.enabled\b/g, () => {
      stripped++;
      return 'false';
    });
    if (bare !== text) writeFileSync(join(BARE, name), bare);
  }
  if (stripped < 20) throw new Error(`only ${stripped} emits found to strip; has their form changed?`);
}

function start(variant) {
  const child = fork(fileURLToPath(import.meta.url), [variant]);
  child.on('exit', (code) => {
    if (code !== 0) process.exitCode = 1;
  });
  return new Promise((resolve) => child.once('message', () => resolve(child)));
}

function ask(child, operations) {
  return new Promise((resolve) => {
    child.once('message', resolve);
    child.send(operations);
  });
}

function report(times) {
  const ns = (value) => `${value.toFixed(0)} ns`;
  for (const variant of VARIANTS)
    console.log(`${variant.padEnd(11)} ${ns(median(times[variant]))} per operation`);
  const limits = [
    ['unheard', 'bare', 15],
    ['empty', 'unheard', undefined],
    ['prometheus', 'empty', undefined],
    ['prometheus', 'unheard', 500],
  ];
  for (const [one, other, most] of limits) {
    const more = median(times[one].map((time, round) => time - times[other][round]));
    const ratio = median(times[one].map((time, round) => time / times[other][round]));
    const isOver = most !== undefined && more > most;
    const verdict = most === undefined ? '' : ` (at most ${most} ns: ${isOver ? 'BROKEN' : 'ok'})`;
    console.log(`${one} over ${other}: ${ns(more)}, x${ratio.toFixed(3)}${verdict}`);
    if (isOver) process.exitCode = 1;
  }
}

async function main() {
  stripEmits();
  const children = {};
  for (const variant of VARIANTS) children[variant] = await start(variant);
  for (const variant of VARIANTS) await ask(children[variant], OPERATIONS);
  const times = Object.fromEntries(VARIANTS.map((variant) => [variant, []]));
  for (let round = 0; round < ROUNDS; round++) {
    const turn = VARIANTS.map((_, i) => VARIANTS[(i + round) % VARIANTS.length]);
    for (const variant of turn) times[variant].push(await ask(children[variant], OPERATIONS));
  }
  for (const child of Object.values(children)) child.disconnect();
  rmSync(BARE, { recursive: true, force: true });
  report(times);
}

if (process.send === undefined) await main();
else await work(process.argv[2]);
