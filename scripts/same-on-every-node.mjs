// Runs every preset of the simulator on this Node and on two later lines, and compares the reports byte for byte.
// Needs a build, and npm for the other lines.
//   node scripts/same-on-every-node.mjs
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const LINES = ['22', '24'];
const self = fileURLToPath(import.meta.url);

if (process.argv[2] === 'print') {
  const { PRESETS, simulate } = await import('../packages/simulator/dist/index.js');
  for (const [name, scenario] of Object.entries(PRESETS)) {
    const text = JSON.stringify(await simulate(scenario));
    console.log(`${name} ${createHash('sha256').update(text).digest('hex')}`);
  }
} else {
  const print = (command, args) => execFileSync(command, [...args, self, 'print'], { encoding: 'utf8' });
  const here = print(process.execPath, []);
  console.log(`${process.version}\n${here}`);
  for (const line of LINES) {
    const there = print('npx', ['-y', `node@${line}`]);
    const isSame = there === here;
    console.log(`Node ${line}: ${isSame ? 'the same' : `not the same\n${there}`}`);
    if (!isSame) process.exitCode = 1;
  }
}
