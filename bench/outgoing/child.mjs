// Clients side by side in one process, in turns: microseconds of processor time for a GET.
import { clients } from '@spillway/client';
import { createSpillway } from '@spillway/core';
import got from 'got';
import { Agent, RetryAgent, request } from 'undici';

const url = `http://127.0.0.1:${process.argv[2]}/`;
const SLICES = Number(process.env.SLICES ?? 40);
const REQUESTS = 250;
const AT_ONCE = 10;

const spillway = createSpillway({ service: 'bench', dependencies: { dep: { baseUrl: url } } });
const client = clients(spillway)('dep');
const dispatcher = new RetryAgent(new Agent());

const CLIENTS = {
  spillway: () => client.get('').json(),
  got: () => got(url).json(),
  'undici RetryAgent': async () => (await request(url, { dispatcher })).body.json(),
};

async function slice(get) {
  const cpu = process.cpuUsage();
  for (let i = 0; i < REQUESTS; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, get));
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / REQUESTS;
}

const us = Object.fromEntries(Object.keys(CLIENTS).map((name) => [name, []]));
for (let i = -6; i < SLICES; i++) {
  const names = Object.keys(CLIENTS);
  for (const name of i % 2 === 0 ? names : names.reverse()) {
    const cost = await slice(CLIENTS[name]);
    if (i >= 0) us[name].push(cost);
  }
}
process.send(us);
process.once('disconnect', () => process.exit(0));
