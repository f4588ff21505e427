import { describe, expect, it } from '@jest/globals';
import { resolveConfig } from '../../src/config/resolve.js';
import { Gate } from '../../src/inbound/gate.js';
import { Guest } from '../../src/inbound/guest.js';
import {
  after,
  createSpillway,
  type LimitConfig,
  type SpillwayConfig,
  seededRandom,
  VirtualClock,
} from '../../src/index.js';
import { simulateLoad } from './support/simulated-loop.js';

const KINDS: readonly (readonly [name: string, limit: LimitConfig])[] = [
  ['loop', { kind: 'loop' }],
  ['aimd', { kind: 'aimd' }],
  ['vegas', { kind: 'vegas' }],
  ['gradient', { kind: 'gradient' }],
  ['a number', 200],
];

function limitOf(limit: LimitConfig) {
  const { concurrency } = resolveConfig({ inbound: { concurrency: { limit } } }).inbound;
  if (concurrency === undefined) throw new Error('there is a gate');
  return concurrency.limit;
}

describe('a healthy server', () => {
  it.each(KINDS)(
    'refuses nobody whose handler waits for half a second, from its first second on: %s',
    (_name, limit) => {
      for (const seed of [undefined, 1, 2, 3]) {
        const load = { rate: 200, workMs: 0.2, awaitMs: 500, seconds: 60, deadlineMs: 5000 };
        const result = simulateLoad({ ...load, limit: limitOf(limit), ...(seed !== undefined && { seed }) });
        expect(result.sent).toBeGreaterThan(11_000);
        expect([result.refused, result.good, result.inFlight]).toEqual([0, result.sent, 0]);
      }
    },
  );
});

class Visit extends Guest {
  readonly patience = Number.POSITIVE_INFINITY;
  readonly isStreaming = false;
  onTimer(): void {
    // waits for nothing
  }
  watchHeaders(): void {
    // has no answer
  }
  onAdmitted(): void {
    // never queued
  }
  onRefused(): void {
    // its verdict says so
  }
  onPardoned(): void {
    // enforcing
  }
}

interface Answer {
  readonly route: number;
  readonly at: number;
  readonly ms: number;
  readonly isGood: boolean;
}

const USUAL_MS = 20;
const FAR_MS = 100 * USUAL_MS;
const SECOND = 1000;

/** Five routes of one server in virtual time; route 0 calls a dependency, which is slow from second 20 to 80. */
class Shop {
  readonly clock = new VirtualClock();
  readonly answers: Answer[] = [];
  readonly #random = seededRandom(11);
  readonly #spillway;
  readonly #gate: Gate;
  most = 0;
  mostTimers = 0;

  constructor(config: SpillwayConfig) {
    const { clock } = this;
    this.#spillway = createSpillway<Record<string, unknown>>(config as never, {
      clock,
      random: this.#random,
    });
    const { concurrency } = this.#spillway.config.inbound;
    if (concurrency === undefined) throw new Error('there is a gate');
    const loop = { onNextTurn: (then: () => void) => queueMicrotask(then), idleMs: () => clock.now() };
    this.#gate = new Gate(concurrency, { clock, random: this.#random, loop });
  }

  get left(): object {
    const { inUse, queued } = this.#spillway.snapshot().dependencies[0]?.bulkhead ?? {};
    return { inFlight: this.#gate.snapshot().inFlight, inUse, queued, timers: this.clock.pending };
  }

  async run(seconds: number): Promise<void> {
    for (let i = 0; this.clock.now() < seconds * SECOND; i++) {
      void this.#visit(i % 5);
      this.most = Math.max(this.most, this.#gate.snapshot().inFlight);
      this.mostTimers = Math.max(this.mostTimers, this.clock.pending);
      await this.clock.advance(5);
    }
    await this.clock.advance(60 * SECOND);
  }

  async #visit(route: number): Promise<void> {
    const at = this.clock.now();
    const guest = new Visit();
    const isIn = this.#gate.enter(guest, at) === 'admitted';
    const isGood = isIn && (await this.#handle(route, at));
    const now = this.clock.now();
    if (isIn) this.#gate.leave(guest, isGood ? 'success' : 'ignored', now);
    this.answers.push({ route, at, ms: now - at, isGood });
  }

  async #handle(route: number, at: number): Promise<boolean> {
    if (route > 0) return this.#wait(USUAL_MS);
    const isSlow = at >= 20 * SECOND && at < 80 * SECOND;
    const work = () => this.#wait(isSlow ? FAR_MS : USUAL_MS);
    return (await this.#spillway.dependency('quotes').settle(work, { idempotent: true })).ok;
  }

  #wait(ms: number): Promise<true> {
    return new Promise((resolve) => {
      after(this.clock, ms * (0.5 + this.#random()), () => resolve(true));
    });
  }
}

describe('a dependency that becomes a hundred times slower, at 200 requests a second over five routes', () => {
  it('leaves the routes alone that do not call it, and memory bounded', async () => {
    const shop = new Shop({ dependencies: { quotes: {} } });
    await shop.run(100);
    const others = shop.answers.filter(({ route }) => route > 0);
    const p99 = (from: number, to: number) => {
      const inTime = others.filter(({ at }) => at >= from * SECOND && at < to * SECOND).map(({ ms }) => ms);
      return inTime.sort((a, b) => a - b)[Math.floor(inTime.length * 0.99)] ?? Number.NaN;
    };
    expect(shop.answers).toHaveLength(20_000);
    expect(others.filter(({ isGood }) => isGood).length / others.length).toBeGreaterThanOrEqual(0.99);
    expect(p99(20, 80)).toBeLessThanOrEqual(2 * p99(0, 20));
    // the others' few, and what the bulkhead holds: 50 that work and 50 that wait
    expect(shop.most).toBeLessThan(120);
    expect(shop.mostTimers).toBeLessThan(400);
    expect(shop.left).toEqual({ inFlight: 0, inUse: 0, queued: 0, timers: 0 });
    // it did become slow: its own route failed, and is well again
    const own = shop.answers.filter(({ route }) => route === 0);
    expect(own.filter(({ at, isGood }) => at < 20 * SECOND && !isGood)).toEqual([]);
    expect(own.filter(({ isGood }) => !isGood).length).toBeGreaterThan(100);
    expect(own.filter(({ at, isGood }) => at > 95 * SECOND && !isGood)).toEqual([]);
  }, 60_000);
});
