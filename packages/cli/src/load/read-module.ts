import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createJiti } from 'jiti';
import { BadInput, firstLine } from '../bad-input.js';

/** What a configuration or scenario file holds. */
export interface Loaded {
  /** As given. */
  readonly path: string;
  readonly text: string;
  /** The default export; of JSON the document. */
  readonly main: unknown;
  /** Named exports; none for JSON. */
  readonly named: Readonly<Record<string, unknown>>;
}

const FORMS = /\.(?:json|[cm]?[jt]s)$/;

/**
 * Reads a TypeScript, JavaScript or JSON file.
 * @throws BadInput when it is not there, does not parse, or throws
 */
export async function readModule(path: string): Promise<Loaded> {
  const file = resolve(path);
  if (!existsSync(file) || !statSync(file).isFile()) throw new BadInput(`${path}: there is no such file`);
  if (!FORMS.test(path)) throw new BadInput(`${path}: give a .ts, .js, .mjs, .cjs, .mts, .cts or .json file`);
  const text = readFileSync(file, 'utf8');
  if (path.endsWith('.json')) return { path, text, main: parseJson(path, text), named: {} };
  const module = await importAny(path, file);
  return { path, text, main: module['default'] ?? module['config'] ?? module['scenario'], named: module };
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadInput(`${path} is no JSON: ${firstLine(error)}`);
  }
}

async function importAny(path: string, file: string): Promise<Record<string, unknown>> {
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false, interopDefault: false });
  try {
    // copied here, so that an exported getter that throws is told as the file's fault
    return { ...(await jiti.import<Record<string, unknown>>(file)) };
  } catch (error) {
    throw new BadInput(`${path} cannot be loaded: ${firstLine(error)}`);
  }
}
