import type { Clock } from '@spillway/core';
import { after } from '@spillway/core';
import type { TimeBox } from '../engine/time-box.js';

export interface PgResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

/** A client of `pg`, checked out of its pool. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<PgResult>;
  release(error?: Error | boolean): void;
}

/** A `Pool` of `pg`. */
export interface PgPool {
  connect(): Promise<PgClient>;
}

/** A connection whose statement nobody waits for any more gets this long to answer before it is closed. Ms. */
const PATIENCE_MS = 5_000;

/** A client for as long as `use` runs, unless the time was up before there was one. */
export async function withClient<T>(
  pool: PgPool,
  clock: Clock,
  box: TimeBox,
  use: (client: PgClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  if (box.over) {
    client.release();
    throw new Error('postgres: the time was up before the pool had a connection');
  }
  const lease = new ClientLease(client, clock, box);
  try {
    const result = await use(client);
    lease.end();
    return result;
  } catch (error) {
    lease.end(connectionError(error));
    throw error;
  }
}

/** Gives the client back exactly once: when its statement has ended, or when it hangs for too long. */
class ClientLease {
  readonly #client: PgClient;
  readonly #forget: () => void;
  #hung: { cancel(): void } | undefined;
  #ended = false;

  constructor(client: PgClient, clock: Clock, box: TimeBox) {
    this.#client = client;
    this.#forget = box.whenOver(() => {
      const timer = after(
        clock,
        PATIENCE_MS,
        () => this.end(new Error('postgres: the statement hangs')),
        false,
      );
      this.#hung = { cancel: () => clock.disarm(timer) };
    });
  }

  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#forget();
    this.#hung?.cancel();
    this.#client.release(error);
  }
}

/** Errors with an SQLSTATE of the statement leave the connection usable; all others, and class 57P, do not. */
function connectionError(error: unknown): Error | undefined {
  const { code } = error as { code?: unknown };
  const ofStatement = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('57P');
  if (ofStatement) return undefined;
  return error instanceof Error ? error : new Error(String(error));
}
