// Projects as users have them, installed from packed tarballs in a directory of their own.
//   node scripts/consumers/run.mjs [--keep]
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..', '..');
const PNPM = ['npx', '-y', 'pnpm@10.34.8'];
const NPM_INSTALL = ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
/** A run that hangs is a failure. */
const LONGEST_MS = 300_000;
const PACKAGES = ['core', 'client', 'express', 'testing'];

const versions = {
  ...manifestOf(join(ROOT, 'package.json')).devDependencies,
  ...manifestOf(join(ROOT, 'packages/express/package.json')).devDependencies,
};
const TOOLS = pick('express', 'jest', 'supertest');
const TYPES = pick('typescript', '@types/express', '@types/node');

const JEST = ['node', 'node_modules/jest/bin/jest.js', '--ci'];
const ESM_JEST = [
  'node',
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  ...JEST.slice(1),
];

const CONSUMERS = [
  {
    name: 'CommonJS with npm',
    folders: ['commonjs', 'types'],
    manifest: { dependencies: { ...TOOLS, ...TYPES, 'cls-hooked': '4.2.2' } },
    install: NPM_INSTALL,
    runs: {
      'require() of every package': ['node', 'smoke.js'],
      "Jest, preset '@spillway/testing'": JEST,
      "Jest, preset '@spillway/testing/jest-preset'": [...JEST, '--preset=@spillway/testing/jest-preset'],
      'types, with the libraries checked': ['npx', '--no-install', 'tsc', '-p', 'tsconfig.json'],
    },
  },
  {
    name: 'CommonJS with pnpm, Express 4',
    folders: ['commonjs'],
    manifest: { dependencies: { ...TOOLS, express: versions.express4.replace('npm:express@', '') } },
    install: [...PNPM, 'install', '--no-frozen-lockfile', '--prefer-offline', '--reporter=append-only'],
    runs: { "Jest, preset '@spillway/testing'": JEST },
  },
  {
    name: 'ES modules with npm',
    folders: ['esm'],
    manifest: { type: 'module', dependencies: TOOLS },
    install: NPM_INSTALL,
    runs: { Jest: ESM_JEST },
  },
];

const work = mkdtempSync(join(tmpdir(), 'spillway-consumers-'));
let failures = 0;
try {
  const tarballs = packAll();
  for (const consumer of CONSUMERS) tryConsumer(consumer, tarballs);
} finally {
  if (process.argv.includes('--keep')) console.log(`kept: ${work}`);
  else rmSync(work, { recursive: true, force: true });
}
console.log(failures === 0 ? 'consumers: all well' : `consumers: ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

/** Packs every package as it would be published; gives `file:` specifiers by name. */
function packAll() {
  const tarballs = {};
  for (const name of PACKAGES) {
    const directory = join(ROOT, 'packages', name);
    if (!existsSync(join(directory, 'dist/index.js'))) throw new Error(`packages/${name} is not built`);
    const target = join(work, `${name}.tgz`);
    const packed = run(directory, [...PNPM, 'pack', '--out', target]);
    if (packed.status !== 0) throw new Error(`packing ${name} failed:\n${packed.output}`);
    tarballs[`@spillway/${name}`] = `file:${target}`;
  }
  console.log(`packed: ${Object.keys(tarballs).join(', ')}`);
  return tarballs;
}

function tryConsumer({ name, folders, manifest, install, runs }, tarballs) {
  const directory = join(work, name.toLowerCase().replace(/[^a-z0-9]+/g, '-'));
  mkdirSync(directory);
  for (const folder of folders) cpSync(join(HERE, folder), directory, { recursive: true });
  const dependencies = { ...manifest.dependencies, ...tarballs };
  const contents = {
    private: true,
    ...manifest,
    dependencies,
    // what they depend on among themselves comes from the same tarballs
    overrides: Object.fromEntries(Object.keys(tarballs).map((key) => [key, `$${key}`])),
    pnpm: { overrides: tarballs },
  };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(contents, null, 2));
  if (!report(`${name}: install`, run(directory, install))) return;
  for (const [what, command] of Object.entries(runs)) report(`${name}: ${what}`, run(directory, command));
}

function run(cwd, [command, ...args]) {
  const from = performance.now();
  // a parent jest or npm must not leak its settings into a project of its own
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^(?:npm_|NODE_OPTIONS$|JEST_)/.test(key)),
  );
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: LONGEST_MS,
    stdio: 'pipe',
  });
  const output = `${stdout ?? ''}${stderr ?? ''}${error ?? ''}`;
  return { status, output, seconds: (performance.now() - from) / 1000 };
}

function report(what, { status, output, seconds }) {
  const well = status === 0;
  if (!well) {
    failures++;
    console.log(output);
  }
  console.log(`${well ? 'ok' : 'not ok'}: ${what} (${seconds.toFixed(1)} s)`);
  return well;
}

function pick(...names) {
  return Object.fromEntries(names.map((name) => [name, versions[name]]));
}

function manifestOf(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
