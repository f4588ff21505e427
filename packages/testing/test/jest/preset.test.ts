import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { esmPackages } from '../../src/jest/esm-packages.js';
import { jestPreset } from '../../src/jest/preset.js';

const require = createRequire(import.meta.url);
let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'preset-'));
});

afterEach(() => {
  rmSync(project, { recursive: true, force: true });
});

function manifest(path: string, contents: object): void {
  const file = join(project, path, 'package.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(contents));
}

function link(from: string, to: string): void {
  mkdirSync(dirname(join(project, from)), { recursive: true });
  symlinkSync(join(project, to), join(project, from), 'dir');
}

describe('which packages are compiled', () => {
  test("In npm's flat layout: ours, got and what they bring, so far as they are ES modules.", () => {
    manifest('.', { dependencies: { '@spillway/express': '1', other: '1' } });
    manifest('node_modules/@spillway/express', { type: 'module', dependencies: { '@spillway/client': '1' } });
    manifest('node_modules/@spillway/client', { type: 'module', dependencies: { got: '14' } });
    manifest('node_modules/got', { type: 'module', dependencies: { deep: '1', plain: '1' } });
    manifest('node_modules/deep', { type: 'module', dependencies: { got: '14' } });
    manifest('node_modules/plain', {});
    manifest('node_modules/other', { type: 'module' });
    expect(esmPackages(project)).toEqual(['@spillway/client', '@spillway/express', 'deep', 'got']);
  });

  test("In pnpm's linked layout each package is looked for beside the one that wants it.", () => {
    manifest('.', { devDependencies: { '@spillway/client': '1' } });
    const store = 'node_modules/.pnpm/client@1/node_modules';
    manifest(`${store}/@spillway/client`, { type: 'module', dependencies: { got: '14' } });
    manifest('node_modules/.pnpm/got@14/node_modules/got', { type: 'module', dependencies: { deep: '1' } });
    manifest('node_modules/.pnpm/deep@1/node_modules/deep', { type: 'module' });
    link('node_modules/@spillway/client', `${store}/@spillway/client`);
    link(`${store}/got`, 'node_modules/.pnpm/got@14/node_modules/got');
    link('node_modules/.pnpm/got@14/node_modules/deep', 'node_modules/.pnpm/deep@1/node_modules/deep');
    expect(esmPackages(project)).toEqual(['@spillway/client', 'deep', 'got']);
  });

  test('A project without any of them has none.', () => {
    expect(esmPackages(project)).toEqual([]);
  });
});

describe('what is left alone', () => {
  const ignored = (path: string) =>
    jestPreset(project).transformIgnorePatterns.some((pattern) => new RegExp(pattern).test(path));

  test.each([
    '/app/node_modules/@spillway/core/dist/index.js',
    '/app/node_modules/got/dist/source/index.js',
    '/app/node_modules/@sindresorhus/is/distribution/index.js',
    '/app/node_modules/other/node_modules/got/dist/source/index.js',
    '/app/node_modules/.pnpm/got@14.6.6/node_modules/got/dist/source/index.js',
    '/app/node_modules/.pnpm/@spillway+core@1/node_modules/@spillway/core/dist/index.js',
    'C:\\app\\node_modules\\@spillway\\core\\dist\\index.js',
    '/app/src/server.js',
  ])('%s is compiled.', (path) => {
    expect(ignored(path)).toBe(false);
  });

  test.each([
    '/app/node_modules/express/index.js',
    '/app/node_modules/got-other/index.js',
    '/app/node_modules/got/node_modules/debug/index.js',
    '/app/node_modules/.pnpm/express@5.3.0/node_modules/express/index.js',
    'C:\\app\\node_modules\\express\\index.js',
  ])('%s is not.', (path) => {
    expect(ignored(path)).toBe(true);
  });

  test('A package found in the project is compiled although nobody knew its name.', () => {
    manifest('.', { dependencies: { got: '16' } });
    manifest('node_modules/got', { type: 'module', dependencies: { 'new.one': '1' } });
    manifest('node_modules/new.one', { type: 'module' });
    expect(ignored('/app/node_modules/new.one/index.js')).toBe(false);
    expect(ignored('/app/node_modules/newXone/index.js')).toBe(true);
  });
});

describe('how it is compiled', () => {
  const transforms = Object.entries(jestPreset().transform);
  const transformOf = (path: string) => transforms.find(([pattern]) => new RegExp(pattern).test(path))?.[1];

  function load(source: string, path: string): Record<string, unknown> {
    const chosen = transformOf(path);
    if (!Array.isArray(chosen)) throw new Error(`no transform for ${path}`);
    const { createTransformer } = require(chosen[0]) as {
      createTransformer(options: object): { process(s: string, p: string, o: object): { code: string } };
    };
    const { code } = createTransformer(chosen[1]).process(source, path, { supportsStaticESM: false });
    const module = { exports: {} };
    vm.runInNewContext(`(function (module, exports, require, __filename) {${code}\n})`)(
      module,
      module.exports,
      require,
      path,
    );
    return module.exports;
  }

  test('Imports, exports and import.meta become CommonJS.', () => {
    const path = '/app/node_modules/@spillway/core/dist/index.js';
    const loaded = load("import { sep } from 'node:path';\nexport const a = [sep, import.meta.url];", path);
    expect(loaded['a']).toEqual(['/', pathToFileURL(path).href]);
  });

  test("The project's own files get Jest's default transform.", () => {
    expect(transformOf('/app/src/server.js')).toMatch(/babel-jest/);
    expect(transformOf('/app/test/server.test.ts')).toMatch(/babel-jest/);
  });

  test('Without a jest beside the project, Jest looks the default transform up by itself.', () => {
    expect(Object.values(jestPreset(project).transform)).toContain('babel-jest');
  });
});
