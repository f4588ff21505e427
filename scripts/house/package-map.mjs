// Who may import whom. Arrows point toward core only.
import { posix } from 'node:path';
import { importsOf } from './imports.mjs';
import { at, codeOf } from './tree.mjs';

/** The packages that each package's sources may import. */
const PACKAGE_MAP = {
  core: [],
  client: ['core'],
  express: ['core', 'client'],
  koa: ['core', 'client'],
  fastify: ['core', 'client'],
  idempotency: ['core'],
  telemetry: ['core'],
  dashboard: ['core'],
  testing: ['core'],
  simulator: ['core'],
  cli: ['core', 'simulator'],
};

const SOURCE = /^packages\/([a-z-]+)\/src\//;
const OUTSIDE_TESTS = /^(?:packages\/[a-z-]+\/src|examples|bench)\//;

export function checkPackageMap(tree) {
  return [...codeOf(tree, OUTSIDE_TESTS).flatMap(checkFile), ...checkManifests(tree)];
}

function checkFile(file) {
  const own = SOURCE.exec(file.path)?.[1];
  return importsOf(file).flatMap(({ specifier, node }) => {
    const complaint = complain(file.path, own, specifier);
    return complaint === undefined ? [] : [at(file, node, 'package-map', complaint)];
  });
}

function complain(path, own, specifier) {
  if (specifier.startsWith('.')) return own === undefined ? undefined : leaves(path, own, specifier);
  const target = /^(?:@spillway\/([a-z-]+)|(spillway))(?:\/|$)/.exec(specifier);
  if (target === null) return undefined;
  const name = target[1] ?? 'cli';
  if (name === 'testing' && own !== 'testing') return 'only tests import @spillway/testing';
  if (own === undefined) return undefined;
  if (PACKAGE_MAP[own] === undefined) return `package ${own} is not on the package map`;
  if (name === own) return `${own} imports itself by name; use a relative path`;
  if (!PACKAGE_MAP[own].includes(name)) return `${own} must not import ${specifier}`;
  return /\/(?:src|dist)\//.test(specifier) ? `${specifier} reaches past the exports of ${name}` : undefined;
}

function leaves(path, own, specifier) {
  const target = posix.join(posix.dirname(path), specifier);
  if (target.startsWith(`packages/${own}/src/`)) return undefined;
  return `${specifier} leaves packages/${own}/src`;
}

function checkManifests(tree) {
  const findings = [];
  for (const [path, text] of tree.files) {
    const own = /^packages\/([a-z-]+)\/package\.json$/.exec(path)?.[1];
    if (own === undefined) continue;
    const { dependencies, peerDependencies } = JSON.parse(text);
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const target = /^@spillway\/(.+)$/.exec(name)?.[1];
      if (target === undefined || PACKAGE_MAP[own]?.includes(target)) continue;
      const line = text.slice(0, text.indexOf(`"${name}"`)).split('\n').length;
      findings.push({ file: path, line, rule: 'package-map', message: `${own} must not depend on ${name}` });
    }
  }
  return findings;
}
