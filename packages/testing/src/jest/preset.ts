import { createRequire } from 'node:module';
import { join } from 'node:path';
import { esmPackages } from './esm-packages.js';

/** What Jest takes from a preset. */
export interface SpillwayJestPreset {
  readonly transform: Readonly<Record<string, string | readonly [string, Readonly<Record<string, unknown>>]>>;
  readonly transformIgnorePatterns: readonly string[];
}

/** The ES-module packages under got 14: known by name, should the project not list what it depends on. */
const KNOWN = [
  'got',
  '@sindresorhus/is',
  'byte-counter',
  'cacheable-lookup',
  'cacheable-request',
  'decompress-response',
  'form-data-encoder',
  'lowercase-keys',
  'mimic-response',
  'normalize-url',
  'p-cancelable',
  'responselike',
];

const SWC_OPTIONS = {
  swcrc: false,
  jsc: { parser: { syntax: 'ecmascript' }, target: 'es2022' },
  sourceMaps: 'inline',
};

const require: NodeJS.Require = createRequire(import.meta.url);

/**
 * The preset behind `@spillway/testing/jest-preset`: lets a Jest that runs in CommonJS mode load Spillway, got and
 * what they bring, all ES modules, by compiling them as it loads them. The project's own files keep the project's
 * transform, or Jest's default one.
 *
 * @param project directory of the project's package.json, default the working directory
 */
export function jestPreset(project: string = process.cwd()): SpillwayJestPreset {
  const packages = [...new Set([...KNOWN, ...esmPackages(project)])].map(escaped);
  return {
    transform: {
      '[/\\\\]node_modules[/\\\\].+\\.m?js$': [require.resolve('@swc/jest'), SWC_OPTIONS],
      '\\.[jt]sx?$': defaultTransform(project),
    },
    // the last node_modules of a path names the package, in npm's flat, nested and in pnpm's linked layout
    transformIgnorePatterns: [
      `[/\\\\]node_modules[/\\\\](?!.*[/\\\\]node_modules[/\\\\])(?!(?:@spillway[/\\\\][^/\\\\]+|${packages.join('|')})[/\\\\])`,
      '\\.pnp\\.[^\\/]+$',
    ],
  };
}

/** babel-jest, as Jest itself finds it: a preset with a transform switches the default one off. */
function defaultTransform(project: string): string {
  try {
    let path = join(project, 'package.json');
    for (const name of ['jest', '@jest/core', 'jest-config', 'babel-jest']) {
      path = createRequire(path).resolve(name);
    }
    return path;
  } catch {
    // no jest beside the project: let Jest look the name up from its root directory
    return 'babel-jest';
  }
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\/]/g, (character) =>
    character === '/' ? '[/\\\\]' : `\\${character}`,
  );
}
