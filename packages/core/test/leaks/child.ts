import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = join(PACKAGE, 'src');
const LONGEST_MS = 900_000;

const PRELUDE = `
import { getEventListeners } from 'node:events';
import { Call, createSpillway, nextTurn, seededRandom, VirtualClock } from './src/index.js';
const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
const tell = (value) => console.log(JSON.stringify(value));
const hang = () => new Promise(() => undefined);
`;

/**
 * Core compiled into a folder of its own, for processes that show what a test's own process hides: what keeps it
 * alive, what it is warned of, what it holds after a collection.
 */
export class Compiled {
  readonly #folder: string;

  constructor() {
    // below the package, so that its dependencies are found
    const cache = join(PACKAGE, 'node_modules', '.cache');
    mkdirSync(cache, { recursive: true });
    this.#folder = mkdtempSync(join(cache, 'leaks-'));
    writeFileSync(join(this.#folder, 'package.json'), '{"type":"module"}');
    for (const entry of readdirSync(SOURCES, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && entry.name.endsWith('.ts')) this.#compile(join(entry.parentPath, entry.name));
    }
  }

  /**
   * Runs a script to its own end.
   * @returns what it told, one JSON value a line
   * @throws Error when it ends otherwise than by itself with code 0, or says anything on stderr: warnings go there
   */
  async run(name: string, script: string): Promise<unknown[]> {
    const file = join(this.#folder, `${name}.js`);
    writeFileSync(file, PRELUDE + script);
    const { code, out, err } = await run(file);
    if (code !== 0 || err !== '') throw new Error(`The process of '${name}' ended with ${code}: ${err}`);
    return out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #compile(file: string): void {
    const target = join(this.#folder, 'src', relative(SOURCES, file)).replace(/\.ts$/, '.js');
    const options = { jsc: { parser: { syntax: 'typescript' as const }, target: 'es2022' as const } };
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, transformFileSync(file, { ...options, swcrc: false }).code);
  }
}

function run(file: string): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', '--trace-warnings', file], { timeout: LONGEST_MS });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}
