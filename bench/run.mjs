// Runs the benchmarks one after the other and writes what they print to bench/RESULTS.md.
//   npm run bench                    all of them, about half an hour on an idle machine
//   npm run bench -- call memory     those alone; the others' results stay as they are
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const BENCHES = {
  call: 'A guarded call beside its peers',
  memory: 'Memory',
  outgoing: 'Outgoing requests',
  inbound: 'Inbound requests',
  overload: 'Overload',
  storm: 'An outage',
  simulator: 'Simulated worlds',
  telemetry: 'What telemetry costs',
  dashboard: 'What a dashboard costs',
  idempotency: 'Idempotency',
};

const RESULTS = new URL('RESULTS.md', import.meta.url);
const PEERS = ['cockatiel', 'opossum', 'got', 'undici', 'express', 'koa', 'fastify', 'overload-protection'];
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`No benchmark is named ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(2);
}

function versionOf(name) {
  const here = createRequire(import.meta.url)
    .resolve.paths(name)
    .map((folder) => `${folder}/${name}/package.json`);
  return JSON.parse(readFileSync(here.find(existsSync), 'utf8')).version;
}

async function run(name) {
  process.stderr.write(`\n== ${name}\n`);
  const file = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  const [code] = await once(child, 'close');
  const verdict = code === 0 ? 'Every limit was kept.' : 'A limit was not kept in this run.';
  const shown = text.includes('| --- |') ? text.trim() : `\`\`\`text\n${text.trim()}\n\`\`\``;
  if (code !== 0) process.exitCode = 1;
  return `## ${BENCHES[name]}\n\n\`node bench/${name}.mjs\`. ${verdict}\n\n${shown}\n`;
}

/** Sections of an earlier run, by title. */
function earlier() {
  if (!existsSync(RESULTS)) return {};
  const [, ...sections] = readFileSync(RESULTS, 'utf8').split(/^(?=## )/m);
  return Object.fromEntries(sections.map((text) => [text.slice(3, text.indexOf('\n')), text]));
}

const sections = earlier();
const names = chosen.length > 0 ? chosen : Object.keys(BENCHES);
for (const name of names) sections[BENCHES[name]] = await run(name);

const machine = `${cpus().length} processors (${cpus()[0].model.trim()}), Node ${process.versions.node}`;
const peers = PEERS.map((name) => `${name} ${versionOf(name)}`).join(', ');
const head = `# Results

Written by \`npm run bench\`. Ratios are of rounds side by side, median (quartiles); absolute times depend on the machine.

Measured on ${machine}. Peers: ${peers}.
`;
const body = Object.values(BENCHES)
  .map((title) => sections[title])
  .filter(Boolean);
writeFileSync(RESULTS, [head, ...body.map((text) => `${text.trim()}\n`)].join('\n'));
