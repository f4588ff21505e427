// What telemetry costs an operation: nobody listening against a build without the emit calls, an observer that does
// nothing, and Prometheus. In turns, each time in a new process: how one process happens to be compiled and laid out
// makes more difference than what is measured. Processor time, which a busy machine disturbs least.
//   node bench/telemetry.mjs            ROUNDS=30 OPERATIONS=200000
// Needs `npm run build`. Exit code 1 when a limit is broken.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rounds } from './support/rounds.mjs';
import { median } from './support/statistics.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(root, 'packages/core/dist');
// beside node_modules, where the copy finds what it imports
const BARE = join(root, 'packages/core/node_modules/.cache/without-emits');
const VARIANTS = ['bare', 'unheard', 'empty', 'prometheus'];

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

stripEmits();
process.env.WITHOUT_EMITS = BARE;
const file = new URL('telemetry/child.mjs', import.meta.url);
const times = await rounds({ file, variants: VARIANTS, count: Number(process.env.ROUNDS ?? 30) });
rmSync(BARE, { recursive: true, force: true });
report(times);
