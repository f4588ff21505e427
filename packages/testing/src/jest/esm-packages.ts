import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name?: string;
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const OURS = /^(?:@spillway\/|got$)/;

/**
 * Names of the ES-module packages that Spillway brings into a project: its own, got's, and theirs in turn.
 *
 * @param project a directory with the package.json that depends on `@spillway/*`
 */
export function esmPackages(project: string): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const walk = (directory: string, names: readonly string[]) => {
    for (const name of names) {
      const place = locate(directory, name);
      if (place === undefined || seen.has(place)) continue;
      seen.add(place);
      const manifest = manifestOf(place);
      if (manifest?.type === 'module') found.add(name);
      walk(place, Object.keys({ ...manifest?.dependencies, ...manifest?.peerDependencies }).filter(isWanted));
    }
  };
  walk(project, ourNames(project));
  return [...found].sort();
}

/** What the project asks for itself, and our packages that lie beside each other in its node_modules. */
function ourNames(project: string): string[] {
  const { dependencies, devDependencies, peerDependencies } = manifestOf(project) ?? {};
  const asked = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
  const scope = join(project, 'node_modules', '@spillway');
  const installed = existsSync(scope) ? readdirSync(scope).map((name) => `@spillway/${name}`) : [];
  return [...new Set([...asked.filter((name) => OURS.test(name)), ...installed])];
}

/** Frameworks, drivers and the transform itself are CommonJS, or run outside of the tests. */
function isWanted(name: string): boolean {
  return !/^(?:@swc\/|jest$|@opentelemetry\/|better-sqlite3$|libsql$)/.test(name);
}

/** The real directory of a package as seen from another, through npm's flat and pnpm's linked layout. */
function locate(from: string, name: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const place = join(directory, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return realpathSync(place);
    if (dirname(directory) === directory) return undefined;
  }
}

function manifestOf(directory: string): Manifest | undefined {
  const path = join(directory, 'package.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : undefined;
}
