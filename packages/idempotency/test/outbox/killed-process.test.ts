import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Bank } from '../support/bank.js';
import { build } from '../support/processes.js';
import { findRedis } from '../support/real-servers.js';
import { temporaryFolder, unique } from '../support/store-rigs.js';
import { eventually } from '../support/wire.js';

const redis = await findRedis();
const here = dirname(fileURLToPath(import.meta.url));
const folder = temporaryFolder();
const cleanups: (() => unknown)[] = [];
beforeAll(build, 120_000);
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(async () => {
  folder.remove();
  await redis?.dispose();
}, 30_000);

class OutboxProcess {
  readonly #config: object;
  #child: ChildProcess | undefined;
  deferred = 0;
  errors = '';

  constructor(config: object) {
    this.#config = config;
  }

  start(first: boolean): void {
    const config = JSON.stringify({ ...this.#config, first });
    const child = spawn(process.execPath, [join(here, '../support/outbox-process.mjs'), config], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout?.on('data', (chunk) => {
      for (const [, n] of String(chunk).matchAll(/deferred (\d+)/g))
        this.deferred = Math.max(this.deferred, Number(n));
    });
    child.stderr?.on('data', (chunk) => {
      this.errors += chunk;
    });
    this.#child = child;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

interface Load {
  readonly writes: number;
  readonly lanes: number;
  readonly downMs: number;
}

/** Down from the start; killed once while deferring and once while sending. */
async function survive(config: object, { writes, lanes, downMs }: Load): Promise<void> {
  const bank = new Bank();
  await bank.reserve();
  const worker = new OutboxProcess({ ...config, bank: bank.url, writes, lanes });
  cleanups.push(
    () => bank.down(),
    () => worker.kill(),
  );
  const began = Date.now();
  worker.start(true);
  const killAt = writes * (0.2 + 0.6 * Math.random());
  await eventually('some are deferred', () => worker.deferred >= killAt, 60_000);
  await worker.kill();
  worker.start(false);
  await eventually('all are deferred', () => worker.deferred === writes, 60_000);
  await sleep(Math.max(0, downMs - (Date.now() - began)));
  expect(bank.arrivals).toBe(0);
  await bank.up();
  const sendingKillAt = writes * (0.1 + 0.7 * Math.random());
  await eventually('some have arrived', () => bank.effects.size >= sendingKillAt, 120_000);
  await worker.kill();
  worker.start(false);
  await eventually(`all have arrived ${worker.errors}`, () => bank.effects.size >= writes, 120_000);
  // Longer than a lease: what a killed worker had would come again now.
  await sleep(6_000);
  expect(bank.effects.size).toBe(writes);
  expect(bank.withoutKey).toBe(0);
  expect(bank.arrivals).toBeGreaterThan(writes);
  expect(bank.overlaps).toEqual([]);
  for (const [, numbers] of bank.lanes) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(bank.lanes.size).toBe(lanes);
}

describe('writes deferred while the dependency is down', () => {
  test('1,000 in SQLite, dependency down for 30 s, process killed twice: each has one effect, in order', async () => {
    const file = join(folder.path, 'outbox.db');
    await survive({ store: 'sqlite', file }, { writes: 1_000, lanes: 50, downMs: 30_000 });
  }, 300_000);

  test('on BullMQ, process killed twice: each has one effect, in order', async () => {
    expect(redis === undefined).toBe(redis?.url === undefined);
    if (redis === undefined) return;
    await survive(
      { store: 'bullmq', url: redis.url, name: unique('q') },
      { writes: 150, lanes: 10, downMs: 5_000 },
    );
  }, 300_000);
});
