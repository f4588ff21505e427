// The violations that the self-test plants: files to write, and the finding that must come of it.

const CORE = 'packages/core/src/planted.ts';
const CASES = 'packages/core/test/cases/planted.test.ts';
const LIST = 'scripts/house/cases.json';

/** One file with one bad line, which is its last. */
function bad(name, rule, file, ...lines) {
  return {
    name,
    files: { [file]: `${lines.join('\n')}\n` },
    expect: { file, line: lines.length, rule },
  };
}

/** One file that looks bad and is not. */
function good(name, file, ...lines) {
  return { name, files: { [file]: `${lines.join('\n')}\n` }, clean: true };
}

/** The case list with one more case, on line 3. */
function withCase(id) {
  return (text) => text.replace('"cases": {', `"cases": {\n    "${id}": { "packages": ["core"] },`);
}

const MAP = [
  bad('core imports client', 'package-map', CORE, "import { client } from '@spillway/client';"),
  bad(
    'client imports an adapter',
    'package-map',
    'packages/client/src/planted.ts',
    '// a comment',
    "export { expressSpillway } from '@spillway/express';",
  ),
  bad(
    'an adapter imports testing',
    'package-map',
    'packages/express/src/planted.ts',
    "export const load = () => import('@spillway/testing');",
  ),
  bad(
    'an example imports testing',
    'package-map',
    'examples/storefront/src/planted.ts',
    "import { manualClock } from '@spillway/testing';",
  ),
  bad(
    'a relative import leaves the package',
    'package-map',
    'packages/client/src/planted.ts',
    "import { Call } from '../../core/src/call/call.js';",
  ),
  bad(
    'a type is taken past the exports',
    'package-map',
    'packages/client/src/planted.ts',
    "export type Call = import('@spillway/core/dist/call/call.js').Call;",
  ),
  bad(
    'a manifest depends against the map',
    'package-map',
    'packages/simulator/package.json',
    '{ "dependencies": {',
    '"@spillway/client": "workspace:*" } }',
  ),
  good(
    'an import in a comment or a string',
    CORE,
    "// import '@spillway/client'",
    'const a = "import \'@spillway/client\'";',
    'export { a };',
  ),
];

const GRAPH = [
  {
    name: 'two files import each other',
    files: {
      'packages/core/src/planted-a.ts': "import { b } from './planted-b.js';\nexport const a = () => b;\n",
      'packages/core/src/planted-b.ts': "import { a } from './planted-a.js';\nexport const b = () => a;\n",
    },
    expect: { file: 'packages/core/src/planted-b.ts', line: 1, rule: 'circle' },
  },
  {
    name: 'algorithms import a policy',
    files: {
      'packages/core/src/policies/planted.ts': 'export const a = 1;\n',
      'packages/core/src/algorithms/planted.ts': "export { a } from '../policies/planted.js';\n",
    },
    expect: { file: 'packages/core/src/algorithms/planted.ts', line: 1, rule: 'rooms' },
  },
  bad(
    'time imports call',
    'rooms',
    'packages/core/src/time/planted.ts',
    "import { isSpillwayError } from '../call/errors.js';",
  ),
  {
    name: 'async_hooks reachable from the index of core',
    files: {
      'packages/core/src/index.ts': (text) => `${text}\nexport { planted } from './planted.js';\n`,
      [CORE]:
        "import { AsyncLocalStorage } from 'node:async_hooks';\nexport const planted = AsyncLocalStorage;\n",
    },
    expect: { file: CORE, line: 1, rule: 'async-hooks' },
  },
  {
    name: 'async_hooks reachable from an adapter, through core',
    files: {
      'packages/express/src/index.ts': (text) =>
        `${text}\nexport { planted } from '@spillway/core/planted';\n`,
      [CORE]: "export const planted = require('async_hooks');\n",
    },
    expect: { file: CORE, line: 1, rule: 'async-hooks' },
  },
];

const PORTS = [
  bad('Date.now', 'ports', CORE, 'export const a = () => Date.now();'),
  bad('new Date', 'ports', CORE, 'export const a = () => new Date();'),
  bad('performance', 'ports', CORE, 'export const a = () => performance.now();'),
  bad('setTimeout', 'ports', CORE, 'export const a = () => setTimeout(() => {}, 1);'),
  bad(
    'a timer of globalThis',
    'ports',
    CORE,
    "export const a = () => globalThis['setInterval'](() => {}, 1);",
  ),
  bad('a timer handed on', 'ports', CORE, 'export const a = [setImmediate];'),
  bad('node:timers', 'ports', CORE, "import { setTimeout as wait } from 'node:timers';"),
  bad('timers/promises', 'ports', CORE, "export const a = () => import('timers/promises');"),
  bad('perf_hooks', 'ports', CORE, "import { performance } from 'node:perf_hooks';"),
  bad('AbortSignal.timeout', 'ports', CORE, 'export const a = () => AbortSignal.timeout(1);'),
  bad('AbortSignal.any', 'ports', CORE, "export const a = () => AbortSignal['any']([]);"),
  bad('Math.random', 'ports', CORE, 'export const a = () => Math.random();'),
  bad('Math.random, taken out', 'ports', CORE, 'export const { random } = Math;'),
  bad('process.nextTick', 'ports', CORE, 'export const a = () => process.nextTick(() => {});'),
  good(
    'names that only look like time',
    CORE,
    "// Date.now() and Math.random() in a comment, and 'setTimeout(' in a string",
    "export const a = { performance: 'setTimeout(1)', b: Math.floor(1) };",
    'export interface Clock { setTimeout(ms: number): void; Date: number }',
    'export const c = (clock: Clock) => clock.setTimeout(a.b);',
    'export const d = (performance: { now(): number }) => performance.now();',
  ),
  good(
    'real time in its one file',
    'packages/core/src/time/system-clock.ts',
    'export const a = () => performance.now();',
  ),
];

const STYLE = [
  bad('any', 'any', CORE, 'export const a = (b: unknown) => b as any;'),
  bad('a default export', 'default-export', CORE, 'const a = 1;', 'export default a;'),
  bad('a default function', 'default-export', CORE, 'export default function a() {}'),
  bad('a default by name', 'default-export', CORE, 'const a = 1;', 'export { a as default };'),
  bad('a silenced compiler', 'silencer', CORE, 'export const b = 1;', '// @ts-ignore'),
  bad('an exclusive test', 'skipped', CASES, "test.only('a', () => {});"),
  bad('a skipped suite', 'skipped', CASES, "describe.skip('a', () => {});"),
  bad('a skipped table', 'skipped', CASES, "it.skip.each([1])('a %s', () => {});"),
  bad('a test to be done', 'skipped', CASES, "it.todo('a');"),
  bad('xit', 'skipped', CASES, "xit('a', () => {});"),
  bad(
    'an option of node:test',
    'skipped',
    'scripts/planted.test.mjs',
    "test('a', { skip: true }, () => {});",
  ),
  bad('a long file', 'length', CORE, ...Array.from({ length: 301 }, () => '//')),
  good('skip as a plain name', CASES, "queue.skip('a'); test('skip.only', () => {});"),
];

const WORDS = [
  bad('a path of one machine', 'words', 'docs/planted.md', ['see /wo', 'rk/shared'].join('')),
  bad('a package registry', 'words', 'docs/planted.md', ['at registry.', 'npmjs.org'].join('')),
  bad('unfinished work', 'words', CORE, ['// TO', 'DO: more'].join('')),
  bad('an address in the lock file', 'words', 'pnpm-lock.yaml', ['resolution: {tar', 'ball: x}'].join('')),
];

const CASE_BOOK = [
  {
    name: 'a case with two tests',
    files: { [CASES]: "test('C-001 one', () => {});\ntest('C-001 two', () => {});\n" },
    expect: { file: CASES, line: 2, rule: 'cases' },
  },
  bad('a case that the book does not have', 'cases', CASES, "test('C-999 none', () => {});"),
  {
    name: 'a case without a test',
    files: { [LIST]: withCase('C-998') },
    expect: { file: LIST, line: 3, rule: 'cases' },
  },
  {
    name: 'a case without a test, but with a reason',
    files: { [LIST]: withCase('C-998'), 'docs/adr/planted.md': '# C-998 needs no test because\n' },
    clean: true,
  },
];

export const PLANTS = [...MAP, ...GRAPH, ...PORTS, ...STYLE, ...WORDS, ...CASE_BOOK];
