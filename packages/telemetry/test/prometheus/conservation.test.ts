import { afterEach, describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import {
  type AttemptContext,
  createSpillway,
  isSpillwayError,
  type OperationOutcome,
  type Random,
  seededRandom,
} from '@spillway/core';
import {
  type FlakyReply,
  type FlakyServer,
  flakyServer,
  type ManualClock,
  manualClock,
} from '@spillway/testing';
import { Registry } from 'prom-client';
import { prometheus } from '../../src/prometheus/index.js';
import { scrape, sum } from '../support/scrape.js';

const OUTCOMES: readonly OperationOutcome[] = ['success', 'degraded', 'failed', 'refused', 'cancelled'];
const MANY = process.env['NIGHTLY'] ? 10_000 : 3_000;
const CANCELLED = new Error('changed my mind');
const REFUSED_AT_ONCE = ['ERR_BREAKER_OPEN', 'ERR_BULKHEAD_FULL', 'ERR_DEADLINE_EXCEEDED'] as const;

function noCounts(): Record<OperationOutcome, number> {
  return { success: 0, degraded: 0, failed: 0, refused: 0, cancelled: 0 };
}

async function outcomesIn(registry: Registry): Promise<Record<OperationOutcome, number>> {
  const series = await scrape(registry);
  const seen = noCounts();
  for (const outcome of OUTCOMES) seen[outcome] = sum(series, 'spillway_operations_total', { outcome });
  return seen;
}

/** A server in the same process, by script: every request that reaches it is a hit, whatever becomes of it. */
class ScriptedServer {
  hits = 0;
  refusedConnections = 0;
  readonly #random: Random;
  readonly #clock: ManualClock;

  constructor(random: Random, clock: ManualClock) {
    this.#random = random;
    this.#clock = clock;
  }

  /** Sick for the middle third of each minute. */
  ask(attempt: AttemptContext): Promise<Response> {
    const isSick = this.#clock.now() % 60_000 > 20_000 && this.#clock.now() % 60_000 < 40_000;
    const draw = this.#random() * (isSick ? 1 : 8);
    if (draw < 0.2) {
      this.refusedConnections++;
      const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      return Promise.reject(Object.assign(new TypeError('fetch failed'), { cause }));
    }
    this.hits++;
    if (draw < 0.4)
      return new Promise((_, reject) =>
        attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason)),
      );
    if (draw < 0.5) return Promise.reject(new Error('a driver that throws'));
    const status = draw < 0.7 ? 503 : draw < 0.75 ? 429 : draw < 0.8 ? 404 : 200;
    return Promise.resolve(new Response(null, { status }));
  }
}

describe('conservation of operations and attempts', () => {
  test('many operations in virtual time are all accounted for, and so is each request', async () => {
    const random = seededRandom(7);
    const clock = manualClock();
    const server = new ScriptedServer(random, clock);
    const policy = { attempt: { timeout: '400ms' }, deadline: '1s', breaker: { openFor: '2s' } } as const;
    const spillway = createSpillway({ dependencies: { db: policy, quotes: policy } }, { clock, random });
    const registry = new Registry();
    prometheus(spillway, { registry });
    const seen = noCounts();
    const running: Promise<void>[] = [];
    const operate = async (i: number) => {
      let attempts = 0;
      const given = new AbortController();
      const options = {
        idempotent: random() < 0.8,
        operation: `read ${i % 3}`,
        signal: given.signal,
        ...(random() < 0.3 ? { fallback: () => 'mended' as const } : {}),
      };
      if (random() < 0.05) given.abort(CANCELLED);
      const name = i % 2 === 0 ? 'db' : 'quotes';
      const ended = spillway.dependency(name).settle((attempt) => {
        attempts++;
        return server.ask(attempt);
      }, options);
      if (random() < 0.05) given.abort(CANCELLED);
      const outcome = await ended;
      if (outcome.ok) seen[outcome.value === 'mended' ? 'degraded' : 'success']++;
      else if (outcome.error === CANCELLED) seen.cancelled++;
      else if (attempts === 0 && REFUSED_AT_ONCE.some((code) => isSpillwayError(outcome.error, code)))
        seen.refused++;
      else seen.failed++;
    };
    for (let i = 0; i < MANY; i++) {
      running.push(operate(i));
      if (i % 20 === 19) await clock.advance(400);
    }
    await clock.advance(10_000);
    await Promise.all(running);
    const series = await scrape(registry);
    expect(await outcomesIn(registry)).toEqual(seen);
    expect(Object.values(seen).reduce((a, b) => a + b)).toBe(MANY);
    for (const outcome of OUTCOMES)
      expect({ outcome, many: seen[outcome] > MANY / 200 }).toEqual({ outcome, many: true });
    const attempts = sum(series, 'spillway_attempts_total');
    expect(attempts + sum(series, 'spillway_attempt_resends_total')).toBe(
      server.hits + server.refusedConnections,
    );
    // of one that was cancelled meanwhile nobody knows
    const unsent = sum(series, 'spillway_attempts_total', { sent: 'no' });
    expect(unsent).toBeLessThanOrEqual(server.refusedConnections);
    expect(unsent + sum(series, 'spillway_attempts_total', { kind: 'cancelled' })).toBeGreaterThanOrEqual(
      server.refusedConnections,
    );
    expect(attempts).toBe(sum(series, 'spillway_operation_attempts_sum'));
    expect(attempts).toBe(sum(series, 'spillway_attempt_duration_seconds_count'));
    expect(sum(series, 'spillway_operations_in_flight')).toBe(0);
    expect(sum(series, 'spillway_operation_attempts_count')).toBe(MANY);
  }, 60_000);

  test('over real sockets too: resends and refused connections are work of their own', async () => {
    const random = seededRandom(11);
    const quotes = await started(() => stepOf(random));
    const gone = await started(() => 200);
    await gone.close();
    const policy = {
      attempt: { timeout: '600ms' },
      retry: { backoff: { base: 1, cap: 2 }, budget: false },
      breaker: false,
    } as const;
    const spillway = createSpillway({
      dependencies: { quotes: { ...policy, baseUrl: quotes.url }, gone: { ...policy, baseUrl: gone.url } },
    });
    servers.push(spillway);
    const registry = new Registry();
    prometheus(spillway, { registry });
    const client = clients(spillway);
    const worker = async () => {
      for (let i = 0; i < 40; i++) {
        const name = random() < 0.1 ? 'gone' : 'quotes';
        await client(name).get('price').catch(isSpillwayError);
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    const series = await scrape(registry);
    const sent = { dependency: 'quotes' };
    const resends = sum(series, 'spillway_attempt_resends_total', sent);
    expect(resends).toBeGreaterThan(3);
    expect(sum(series, 'spillway_attempts_total', sent) + resends).toBe(quotes.count());
    const refused = sum(series, 'spillway_attempts_total', { dependency: 'gone' });
    expect(refused).toBeGreaterThan(50);
    expect(sum(series, 'spillway_attempts_total', { kind: 'unsent', sent: 'no' })).toBe(refused);
    expect(sum(series, 'spillway_operations_total')).toBe(400);
  }, 60_000);
});

const servers: { close: () => unknown }[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function started(script: () => number | FlakyReply): Promise<FlakyServer> {
  const server = await flakyServer(script);
  servers.push(server);
  return server;
}

/** Resets on a connection that has served before are stale sockets to the client: it sends again. */
function stepOf(random: Random): number | FlakyReply {
  const draw = random();
  if (draw < 0.01) return { stall: true };
  if (draw < 0.06) return { reset: 'before-body' };
  return draw < 0.2 ? 503 : draw < 0.22 ? 404 : 200;
}
