import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const SOURCES = ['clock', 'random', 'system-clock'];

export interface ChildEnd {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly ms: number;
}

/** Runs `script` in a Node process of its own, next to the compiled clock: what keeps a process alive shows only there. */
export async function runChild(script: string): Promise<ChildEnd> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-clock-'));
  try {
    for (const name of SOURCES) writeFileSync(join(folder, `${name}.js`), compile(name));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'main.js'), `${PRELUDE}${script}`);
    return await run(join(folder, 'main.js'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PRELUDE = `
import { after } from './clock.js';
import { systemClock } from './system-clock.js';
const clock = systemClock();
`;

function compile(name: string): string {
  const file = fileURLToPath(new URL(`../../src/time/${name}.ts`, import.meta.url));
  const options = { jsc: { parser: { syntax: 'typescript' as const }, target: 'es2022' as const } };
  return transformFileSync(file, { ...options, swcrc: false }).code;
}

function run(file: string): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [file], { timeout: 20_000 });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err, ms: performance.now() - startedAt }));
  });
}
