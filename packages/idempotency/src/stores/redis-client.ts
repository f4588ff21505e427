import { spillwayError } from '@spillway/core';
import type { TimeBox } from '../engine/time-box.js';

interface Emits {
  once(event: 'ready', listener: () => void): unknown;
  off(event: 'ready', listener: () => void): unknown;
}

/** A client of the package `redis`. */
export interface NodeRedisClient extends Emits {
  readonly isReady: boolean;
  sendCommand(args: string[]): Promise<unknown>;
}

/** A client of the package `ioredis`. */
export interface IoRedisClient extends Emits {
  readonly status: string;
  call(command: string, args: string[]): Promise<unknown>;
}

export type RedisClient = NodeRedisClient | IoRedisClient;

/** What the store needs of either client. */
export interface RedisConnection {
  command(args: readonly string[], box: TimeBox): Promise<unknown>;
}

/**
 * Commands are given to the client only while it is connected: those it would put into its offline queue wait here
 * instead, and are dropped when their time is up (C-085).
 */
class ClientConnection implements RedisConnection {
  readonly #client: RedisClient;
  /** Who waits for the connection; they share one listener. */
  readonly #waiting = new Set<() => void>();

  constructor(client: RedisClient) {
    this.#client = client;
  }

  async command(args: readonly string[], box: TimeBox): Promise<unknown> {
    if (!isReady(this.#client)) await this.#ready(box);
    if (box.over) throw new Error('redis: the time was up before the command could be sent');
    if (isIoRedis(this.#client)) return this.#client.call(args[0] as string, args.slice(1));
    return this.#client.sendCommand([...args]);
  }

  #ready(box: TimeBox): Promise<void> {
    return new Promise((resolve, reject) => {
      const up = (): void => {
        forget();
        resolve();
      };
      if (this.#waiting.size === 0) this.#client.once('ready', this.#onReady);
      this.#waiting.add(up);
      const forget = box.whenOver(() => {
        this.#waiting.delete(up);
        if (this.#waiting.size === 0) this.#client.off('ready', this.#onReady);
        reject(new Error('redis: not connected'));
      });
    });
  }

  readonly #onReady = (): void => {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const up of waiting) up();
  };
}

function isIoRedis(client: RedisClient): client is IoRedisClient {
  return 'call' in client && typeof client.call === 'function';
}

function isReady(client: RedisClient): boolean {
  return isIoRedis(client) ? client.status === 'ready' : client.isReady;
}

export function connectionOf(client: RedisClient): RedisConnection {
  const { call, sendCommand } = client as { call?: unknown; sendCommand?: unknown };
  if (typeof call === 'function' || typeof sendCommand === 'function') return new ClientConnection(client);
  throw spillwayError(
    'ERR_CONFIG',
    'redisStore: this is neither a client of `redis` (sendCommand) nor one of `ioredis` (call).',
  );
}
