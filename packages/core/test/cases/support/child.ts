import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));
const SOURCES = join(PACKAGE, 'src');
const PRELUDE = `
import { setTimeout as delay } from 'node:timers/promises';
import { createSpillway, systemClock } from './src/index.js';
const warnings = [];
process.on('warning', (warning) => warnings.push(warning.name + ': ' + warning.message));
process.on('unhandledRejection', (error) => { console.error('unhandled', error); process.exitCode = 3; });
const base = () => { globalThis.gc(); globalThis.gc(); return process.memoryUsage().heapUsed; };
const tell = (value) => console.log(JSON.stringify(value));
const hang = () => new Promise(() => undefined);
`;

export interface ChildEnd {
  readonly code: number | null;
  /** What it told, one JSON value a line. */
  readonly told: unknown[];
  readonly err: string;
}

/** Processes with core's sources compiled beside them: what only shows in a process of its own. */
export class Children {
  readonly #folder: string;

  constructor() {
    // below the package, so that its dependencies are found
    const cache = join(PACKAGE, 'node_modules', '.cache');
    mkdirSync(cache, { recursive: true });
    this.#folder = mkdtempSync(join(cache, 'cases-'));
    writeFileSync(join(this.#folder, 'package.json'), '{"type":"module"}');
    for (const entry of readdirSync(SOURCES, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && entry.name.endsWith('.ts')) this.#compile(join(entry.parentPath, entry.name));
    }
  }

  run(name: string, script: string): Promise<ChildEnd> {
    const file = join(this.#folder, `${name}.js`);
    writeFileSync(file, PRELUDE + script);
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ['--expose-gc', file], { timeout: 60_000 });
      let out = '';
      let err = '';
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      child.on('error', reject);
      child.on('close', (code) => {
        const told = out
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown);
        resolve({ code, told, err });
      });
    });
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
