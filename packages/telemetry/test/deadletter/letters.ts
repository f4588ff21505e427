import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import { createSpillway, type DependencyConfig, type Spillway } from '@spillway/core';
import {
  type DeadLetter,
  type DeadLetters,
  type DeadLettersOptions,
  deadLetters,
} from '@spillway/telemetry/deadletter';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

export function cleanUp(clean: () => unknown): void {
  cleanups.push(clean);
}

/** A directory of the test's own. */
export async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'spillway-letters-'));
  cleanUp(() => rm(path, { recursive: true, force: true }));
  return path;
}

export interface Lettered {
  readonly spillway: Spillway<{ db: never }>;
  readonly letters: DeadLetters;
  readonly file: string;
  /** What stands in the file, once all is written. */
  read(): Promise<DeadLetter[]>;
}

/** A spillway with the dependency `db`, and its dead letters. */
export async function lettered(
  options: Partial<DeadLettersOptions> = {},
  policy: DependencyConfig<never> = {},
): Promise<Lettered> {
  const file = options.file ?? join(await directory(), 'dead.jsonl');
  const spillway = createSpillway<{ db: never }>({
    service: 'shop',
    dependencies: { db: { retry: RETRY, breaker: {}, ...policy } },
  });
  const letters = deadLetters(spillway, { file, ...options });
  cleanUp(async () => {
    await letters.close();
    spillway.close();
  });
  return {
    spillway,
    letters,
    file,
    read: async () => {
      await letters.flush();
      return linesOf(file);
    },
  };
}

const RETRY = { attempts: 2, backoff: { base: '1ms', jitter: 'none' }, budget: false } as const;

export async function linesOf(file: string): Promise<DeadLetter[]> {
  const text = await readFile(file, 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as DeadLetter);
}

export async function namesIn(path: string): Promise<string[]> {
  return (await readdir(path)).toSorted();
}

export function fails(): never {
  throw new Error('hunter2');
}
