import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Compiled } from '../leaks/child.js';

let compiled: Compiled;

beforeAll(() => {
  compiled = new Compiled();
}, 60_000);

afterAll(() => compiled.remove());

interface Load {
  /** Requests a second, at random instants. */
  readonly rate: number;
  readonly seconds: number;
  /** What a handler awaits, and then works. */
  readonly awaitMs: number;
  readonly workMs: number;
  /** Processes for each processor that never rest, all of the same low priority. They end by themselves. */
  readonly burners: number;
}

/** A server of its own process with default options, and its clients, from its first moment on. */
const script = ({ rate, seconds, awaitMs, workMs, burners }: Load) => `
  const { spawn } = await import('node:child_process');
  const { createServer, get, Agent } = await import('node:http');
  const { availableParallelism, setPriority } = await import('node:os');
  const { guardServer } = await import('./src/index.js');
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const burn = (ms) => { const end = process.cpuUsage().user + ms * 1000; while (process.cpuUsage().user < end); };

  setPriority(${burners === 0 ? 0 : 15});
  const burner = 'require("os").setPriority(15); for (const end = Date.now() + 20000; Date.now() < end; );';
  const burners = Array.from({ length: ${burners} * availableParallelism() }, () => spawn(process.execPath, ['-e', burner]));
  if (burners.length > 0) await sleep(1000);

  const spillway = createSpillway({ service: 'healthy' });
  const server = createServer(async (req, res) => {
    await sleep(${awaitMs});
    burn(${workMs});
    res.end('ok');
  });
  server.keepAliveTimeout = 60_000;
  guardServer(server, spillway);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent({ keepAlive: true });
  const { port } = server.address();
  const statuses = [];
  const ask = () => new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent }, (res) => {
      statuses.push(res.statusCode);
      res.resume().once('end', resolve);
    }).once('error', reject);
  });
  const random = seededRandom(5);
  const asked = [];
  let longestMs = 0;
  const began = Date.now();
  for (let due = 0; due < ${seconds * 1000}; due -= Math.log(1 - random()) * ${1000 / rate}) {
    await sleep(began + due - Date.now());
    longestMs = Math.max(longestMs, Date.now() - began - due);
    asked.push(ask());
  }
  await Promise.all(asked);
  for (const one of burners) one.kill();
  agent.destroy();
  server.close();
  const failed = statuses.filter((status) => status !== 200).length;
  tell([statuses.length, failed, spillway.snapshot().inbound.refused.limit, longestMs]);`;

describe('a healthy process', () => {
  it('refuses nobody whose handler waits for half a second, 200 of them a second, from the first on', async () => {
    const load = { rate: 200, seconds: 3, awaitMs: 500, workMs: 0, burners: 0 };
    const [[asked, failed, refused]] = (await compiled.run('healthy', script(load))) as [number[]];
    expect(asked).toBeGreaterThan(480);
    expect([failed, refused]).toEqual([0, 0]);
  }, 120_000);

  it('refuses nobody under light traffic while other processes take the processor', async () => {
    const load = { rate: 20, seconds: 3, awaitMs: 50, workMs: 2, burners: 3 };
    const [[asked, failed, refused, longestMs]] = (await compiled.run('busy', script(load))) as [number[]];
    expect(asked).toBeGreaterThan(30);
    expect([failed, refused]).toEqual([0, 0]);
    // the others did take it
    expect(longestMs).toBeGreaterThan(10);
  }, 120_000);
});
