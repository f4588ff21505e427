import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Compiled } from '../leaks/child.js';

let compiled: Compiled;

beforeAll(() => {
  compiled = new Compiled();
}, 60_000);

afterAll(() => compiled.remove());

/**
 * A server of low priority among as many processes of the same priority that never rest as make three for each
 * processor. They end by themselves, and are ended when the server has been asked.
 */
const SCRIPT = `
  const { spawn } = await import('node:child_process');
  const { createServer, get, Agent } = await import('node:http');
  const { availableParallelism, setPriority } = await import('node:os');
  const { guardServer } = await import('./src/index.js');
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const burn = (ms) => { const end = process.cpuUsage().user + ms * 1000; while (process.cpuUsage().user < end); };

  setPriority(15);
  const burner = 'require("os").setPriority(15); for (const end = Date.now() + 20000; Date.now() < end; );';
  const burners = Array.from({ length: 3 * availableParallelism() }, () => spawn(process.execPath, ['-e', burner]));
  await sleep(1000);

  const spillway = createSpillway({ service: 'busy' });
  const server = createServer(async (req, res) => {
    await sleep(50);
    burn(2);
    res.end('ok');
  });
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
  for (let due = 0; due < 5000; due -= Math.log(1 - random()) * 50) {
    await sleep(began + due - Date.now());
    longestMs = Math.max(longestMs, Date.now() - began - due);
    asked.push(ask());
  }
  await Promise.all(asked);
  for (const { pid } of burners) process.kill(pid);
  agent.destroy();
  server.close();
  tell([statuses.length, statuses.filter((status) => status !== 200).length, spillway.snapshot().inbound.refused.limit, longestMs]);`;

it('a server under light traffic refuses nobody while other processes take the processor', async () => {
  const [[asked, failed, refused, longestMs]] = (await compiled.run('busy', SCRIPT)) as [number[]];
  expect(asked).toBeGreaterThan(50);
  expect([failed, refused]).toEqual([0, 0]);
  // the others did take it
  expect(longestMs).toBeGreaterThan(10);
}, 120_000);
