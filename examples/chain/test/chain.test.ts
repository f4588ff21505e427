import { get } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { clients } from '@spillway/client';
import { createSpillway, type SpillwayEvent } from '@spillway/core';
import { type Database, type DatabaseMood, startDatabase } from '../src/database.js';
import { startGateway } from '../src/gateway.js';
import type { Hop, HopOptions } from '../src/hop.js';
import { startInventory } from '../src/inventory.js';
import { startOrders } from '../src/orders.js';
import { startBalancer } from './balancer.js';

type How = Omit<HopOptions, 'next'>;

const OWNED: How = { attempts: 4, owner: 'here' };
const UNOWNED: How = { attempts: 4, owner: 'ignore' };

let running: { close(): Promise<void> }[] = [];

afterEach(async () => {
  const all = running;
  running = [];
  // the first of the chain closes first
  for (const hop of all.reverse()) await hop.close();
});

async function up<H extends { close(): Promise<void> }>(starting: Promise<H>): Promise<H> {
  const hop = await starting;
  running.push(hop);
  return hop;
}

interface Chain {
  readonly gateway: Hop;
  readonly orders: Hop;
  readonly inventory: Hop;
  readonly database: Database;
}

async function startChain(how: How, mood: DatabaseMood = 'failing'): Promise<Chain> {
  const database = await up(startDatabase(mood));
  const inventory = await up(startInventory({ ...how, next: database.url }));
  const orders = await up(startOrders({ ...how, next: inventory.url }));
  const gateway = await up(startGateway({ ...how, next: orders.url }));
  return { gateway, orders, inventory, database };
}

function counts({ gateway, orders, inventory, database }: Chain): number[] {
  return [gateway.hits, orders.hits, inventory.hits, database.hits];
}

async function ask(url: string, budgetMs = 60_000): Promise<Response> {
  const answer = await fetch(url, { headers: { 'X-Request-Budget-Ms': String(budgetMs) } });
  await answer.arrayBuffer();
  return answer;
}

async function until(holds: () => boolean, ms = 5000): Promise<boolean> {
  const end = performance.now() + ms;
  while (!holds() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
  return holds();
}

describe('a chain of servers whose last one fails every call', () => {
  it('calls it four times where the nearest layer owns the retries', async () => {
    const chain = await startChain(OWNED);
    const answer = await ask(chain.gateway.url);
    expect(counts(chain)).toEqual([1, 1, 1, 4]);
    expect(answer.status).toBe(502);
    expect(answer.headers.get('x-should-retry')).toBe('false');
  });

  it('calls it 64 times where each of three layers retries for itself', async () => {
    const chain = await startChain(UNOWNED);
    await ask(chain.gateway.url);
    expect(counts(chain)).toEqual([1, 4, 16, 64]);
  }, 30_000);

  it('calls it 81 times with four layers of three attempts, and three times with ownership', async () => {
    for (const [owner, expected] of [
      ['ignore', [3, 9, 27, 81]],
      ['here', [1, 1, 1, 3]],
    ] as const) {
      const chain = await startChain({ attempts: 3, owner });
      const caller = createSpillway<{ gateway: never }>({
        service: 'client',
        dependencies: {
          gateway: {
            baseUrl: chain.gateway.url,
            deadline: '1m',
            attempt: { timeout: '1m' },
            retry: { attempts: 3, backoff: { base: '5ms' }, budget: false, owner },
            breaker: false,
          },
        },
      });
      await expect(clients(caller)('gateway').get('').json()).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
      expect(counts(chain)).toEqual(expected);
      caller.close();
    }
  }, 60_000);

  it('gives every hop less time than the one above', async () => {
    const chain = await startChain(OWNED);
    await ask(chain.gateway.url, 30_000);
    const { gateway, orders, inventory, database } = chain;
    const budgets = [gateway, orders, inventory, database].map((hop) => hop.budgets[0] ?? 0);
    expect(budgets[0]).toBe(30_000);
    for (let i = 1; i < budgets.length; i++) expect(budgets[i]).toBeLessThan(budgets[i - 1] as number);
    const last = [...database.budgets] as number[];
    expect(last).toEqual([...last].sort((a, b) => b - a));
  });
});

describe('a chain with two instances of orders', () => {
  it('answers 200 where one of them refuses by itself: the retry of the gateway reaches the other', async () => {
    const database = await up(startDatabase('well'));
    const inventory = await up(startInventory({ ...OWNED, next: database.url }));
    const policy = { breaker: { openFor: '1s' } } as const;
    const broken = await up(startOrders({ ...OWNED, next: inventory.url, policy }));
    const sound = await up(startOrders({ ...OWNED, next: inventory.url }));
    const balancer = await up(startBalancer([broken.url, sound.url]));
    const gateway = await up(startGateway({ ...OWNED, next: balancer.url }));
    broken.spillway?.dependency('next').breaker.forceOpen();

    const refused = await ask(broken.url);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('x-should-retry')).toBeNull();
    const answer = await ask(gateway.url);
    expect(answer.status).toBe(200);
    expect([broken.hits, sound.hits, database.hits]).toEqual([2, 1, 1]);
  });
});

/** Asks, and hangs up once the call has reached the database. @returns ms until that lost its connection */
async function hangUp({ gateway, database }: Chain, round: number): Promise<number> {
  const client = get(gateway.url, { agent: false });
  client.on('error', () => client.destroy());
  await until(() => database.hits === round);
  const hungUpAt = performance.now();
  client.destroy();
  await until(() => database.lostAt.length === round);
  return (database.lostAt[round - 1] ?? Number.POSITIVE_INFINITY) - hungUpAt;
}

describe('a client of the chain that hangs up', () => {
  it('closes the last connection within 100 ms, and nobody retries, is charged or stays behind', async () => {
    const chain = await startChain({ ...OWNED, policy: { breaker: {} } }, 'silent');
    const { gateway, orders, inventory } = chain;
    const events: SpillwayEvent[] = [];
    const spillways = [gateway, orders, inventory].flatMap(({ spillway }) => spillway ?? []);
    for (const spillway of spillways) spillway.subscribe((event) => events.push(event));
    // a busy machine may be late once; what is asked is that nothing of ours waits
    const lags: number[] = [];
    for (let round = 1; round <= 3; round++) lags.push(await hangUp(chain, round));
    expect(Math.min(...lags)).toBeLessThan(100);
    const inFlight = () =>
      spillways.flatMap((spillway) => {
        const { inbound, dependencies } = spillway.snapshot();
        return [inbound.inFlight, inbound.detached, ...dependencies.map((dependency) => dependency.inFlight)];
      });
    expect(await until(() => inFlight().every((count) => count === 0))).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(counts(chain)).toEqual([3, 3, 3, 3]);
    const ends = events.flatMap((event) => (event.type === 'attempt.end' ? [event.result] : []));
    expect(ends).toEqual(Array.from({ length: 9 }, () => 'ignored'));
    expect(events.some(({ type }) => type === 'retry.scheduled' || type === 'breaker.transition')).toBe(
      false,
    );
  });
});
