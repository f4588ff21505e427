import { type Clock, systemClock } from '@spillway/core';
import type { BeginResult, ClaimRequest } from '../engine/machine.js';
import type { IdempotencyStore } from '../engine/store.js';
import type { TimeBox } from '../engine/time-box.js';
import { connectionOf, type RedisClient, type RedisConnection } from './redis-client.js';
import { BEGIN, CHECKPOINT, COMPLETE, RELEASE, RENEW, type Script } from './redis-scripts.js';
import { ServerTime } from './server-time.js';

export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client.js';

export interface RedisStoreOptions {
  /** Put before every key. Default `spillway:idempotency:`. */
  readonly prefix?: string;
  /** Measures round trips. Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Keys in Redis 6.2 or later, or Valkey. Every operation is one script: atomic, one round trip, on the server's clock.
 * Run Redis with `appendonly yes` and `maxmemory-policy noeviction`: what it forgets can be done twice.
 */
export interface RedisStore extends IdempotencyStore {
  readonly kind: 'redis';
}

class ScriptStore implements RedisStore {
  readonly kind = 'redis';
  readonly durable = true;
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #time: ServerTime;

  constructor(connection: RedisConnection, prefix: string, clock: Clock) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#time = new ServerTime(clock);
  }

  async begin(key: string, claim: ClaimRequest, box: TimeBox): Promise<BeginResult> {
    if (!this.#time.known) await this.#readTime(box);
    const result = await this.#begin(key, claim, box);
    if (result !== undefined) return result;
    // Its clock was set back or forth, or it answered after the limit: what it said last is believed now.
    const again = box.over ? undefined : await this.#begin(key, claim, box);
    if (again === undefined) throw new Error('redis: the claim came too late and was not written');
    return again;
  }

  renew(key: string, token: string, leaseMs: number, box: TimeBox): Promise<boolean> {
    return this.#change(RENEW, key, [token, ms(leaseMs)], box);
  }

  complete(key: string, token: string, answer: string | null, box: TimeBox): Promise<boolean> {
    return this.#change(COMPLETE, key, answer === null ? [token] : [token, answer], box);
  }

  release(key: string, token: string, box: TimeBox): Promise<boolean> {
    return this.#change(RELEASE, key, [token], box);
  }

  checkpoint(key: string, token: string, name: string, data: string, box: TimeBox): Promise<boolean> {
    return this.#change(CHECKPOINT, key, [token, name, data], box);
  }

  async #begin(key: string, claim: ClaimRequest, box: TimeBox): Promise<BeginResult | undefined> {
    const sentAt = this.#time.now();
    const latest = ms(this.#time.limit(box.leftMs));
    const args = [latest, claim.fingerprint, claim.token, ms(claim.leaseMs), ms(claim.ttlMs)];
    const reply = (await this.#run(BEGIN, key, args, box)) as readonly string[];
    if (reply[0] === 'late') this.#time.forget();
    this.#time.heard(Number(reply[1]), sentAt);
    return readBegin(reply);
  }

  async #readTime(box: TimeBox): Promise<void> {
    const sentAt = this.#time.now();
    const [seconds, micros] = (await this.#connection.command(['TIME'], box)) as readonly string[];
    this.#time.heard(Number(seconds) * 1000 + Math.floor(Number(micros) / 1000), sentAt);
  }

  async #change(script: Script, key: string, args: readonly string[], box: TimeBox): Promise<boolean> {
    return Number(await this.#run(script, key, args, box)) === 1;
  }

  /** By its name; by its text where the server has not seen it yet. */
  async #run(script: Script, key: string, args: readonly string[], box: TimeBox): Promise<unknown> {
    const rest = ['1', this.#prefix + key, ...args];
    try {
      return await this.#connection.command(['EVALSHA', script.sha, ...rest], box);
    } catch (error) {
      if (!(error instanceof Error || isErrorLike(error)) || !error.message.startsWith('NOSCRIPT'))
        throw error;
    }
    return this.#connection.command(['EVAL', script.source, ...rest], box);
  }
}

function isErrorLike(error: unknown): error is { message: string } {
  return typeof (error as { message?: unknown } | null)?.message === 'string';
}

/** Whole milliseconds in digits. */
function ms(value: number): string {
  return Math.floor(value).toFixed(0);
}

/** `undefined`: it came too late. */
function readBegin(reply: readonly string[]): BeginResult | undefined {
  switch (reply[0]) {
    case 'run': {
      const checkpoints: Record<string, string> = {};
      for (let i = 3; i + 1 < reply.length; i += 2) checkpoints[reply[i] as string] = reply[i + 1] as string;
      const attempt = Number(reply[2]);
      return { kind: 'run', attempt, recovered: attempt > 1, checkpoints };
    }
    case 'replay':
      return { kind: 'replay', answer: reply[2] ?? null };
    case 'in-progress':
      return { kind: 'in-progress', leaseLeftMs: Number(reply[2]) };
    case 'mismatch':
      return { kind: 'mismatch' };
    default:
      return undefined;
  }
}

/**
 * Makes the store on a client of `redis` (node-redis 4 or later) or `ioredis`, already connected or connecting. The
 * client stays yours: close it yourself.
 * @throws ERR_CONFIG for an object that is neither
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): RedisStore {
  const prefix = options.prefix ?? 'spillway:idempotency:';
  return new ScriptStore(connectionOf(client), prefix, options.clock ?? systemClock());
}
