import { createHash } from 'node:crypto';
import { after, type Clock, systemClock } from '@spillway/core';
import type { BullJob, BullMq, BullQueue, BullWorker, LaneRedis } from './bullmq-driver.js';
import type {
  ClaimedWrite,
  ListQuery,
  NewWrite,
  OutboxRequest,
  OutboxStore,
  OutboxWrite,
  Settlement,
  WriteState,
} from './outbox-store.js';

export type { BullMq, LaneRedis } from './bullmq-driver.js';

export interface BullMqOutboxOptions {
  /** `import * as bullmq from 'bullmq'`. */
  readonly bullmq: BullMq;
  /** BullMQ's connection options. */
  readonly connection: unknown;
  /** An ioredis client for the order of lanes, on the same server. Stays yours. */
  readonly redis: LaneRedis;
  /** Name of the queue. Default `spillway-outbox`. */
  readonly name?: string;
  /** Lease of a write until its first renewal; what a killed worker had is another's after it. Ms. Default 30,000. */
  readonly leaseMs?: number;
  /** Told what BullMQ reports: lost connections and the like, which it mends by itself. Default: a process warning. */
  readonly onError?: (error: Error) => void;
  readonly clock?: Clock;
}

interface Data {
  readonly dependency: string;
  readonly key: string;
  readonly lane: string;
  readonly request: OutboxRequest;
  readonly attempts: number;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** Whose token it is sent under. A job is `active` for BullMQ while its place in the lane is looked at, too. */
  readonly sentBy?: string | undefined;
}

const WAITING = ['waiting', 'delayed', 'prioritized', 'paused'];
/** BullMQ's states in which writes of a state are found. */
const STATES: Readonly<Record<WriteState, readonly string[]>> = {
  waiting: [...WAITING, 'active'],
  sending: ['active'],
  done: ['completed'],
  dead: ['failed'],
};

/** A write behind another of its lane is looked at again after this. Ms. */
const BEHIND_MS = 50;
/** Times a write whose place is being looked at is asked whether it can be dropped now, and how long after one another. */
const DROP_TRIES = 100;
const DROP_AGAIN_MS = 10;
/** Writes looked at in one claim beyond those asked for. */
const LOOKS = 50;

/** An outbox on BullMQ. `close()` it with the process. */
export interface BullMqOutbox extends OutboxStore {
  close(): Promise<void>;
}

class QueueOutbox implements BullMqOutbox {
  readonly #queue: BullQueue;
  readonly #worker: BullWorker;
  readonly #redis: LaneRedis;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #held = new Map<string, BullJob>();

  constructor(queue: BullQueue, worker: BullWorker, redis: LaneRedis, prefix: string, clock: Clock) {
    this.#queue = queue;
    this.#worker = worker;
    this.#redis = redis;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  async add(write: NewWrite, capacity: number) {
    const id = hash(write.dependency, write.key);
    const there = await this.#queue.getJob(id);
    if (there !== undefined) {
      const known = await this.#writeOf(there);
      // Whoever added it may have died before it had its place.
      if (known.state !== 'done') await this.#line(there.data as Data, id);
      return { write: known, added: false };
    }
    const counts = await this.#queue.getJobCounts(...WAITING, 'active');
    if (Object.values(counts).reduce((sum, count) => sum + count, 0) >= capacity) return 'full' as const;
    const { dependency, key, lane, request } = write;
    const data: Data = { dependency, key, lane, request, attempts: 0 };
    // The job first, its place in the lane second: a job without a place takes one when it is claimed.
    const job = await this.#queue.add('write', data, {
      jobId: id,
      removeOnComplete: { age: 86_400 },
      attempts: 1,
    });
    await this.#line(data, id);
    return { write: writeOf(job, 'waiting'), added: true };
  }

  async claim(token: string, leaseMs: number, limit: number, except: readonly string[]) {
    const claimed: ClaimedWrite[] = [];
    for (let looks = 0; looks < limit + LOOKS && claimed.length < limit; looks++) {
      const job = await this.#worker.getNextJob(token, { block: false });
      if (job === undefined) break;
      const data = job.data as Data;
      const mine = `${token}:${job.id}`;
      if (except.includes(data.dependency) || !(await this.#isFirst(data, String(job.id)))) {
        await job.moveToDelayed(this.#clock.wall() + BEHIND_MS, token);
        continue;
      }
      await job.extendLock(token, leaseMs);
      await job.updateData({ ...data, sentBy: token });
      this.#held.set(mine, job);
      claimed.push({ ...writeOf(job, 'sending'), token });
    }
    return claimed;
  }

  async renew(write: ClaimedWrite, leaseMs: number): Promise<boolean> {
    const job = this.#held.get(`${write.token}:${write.id}`);
    return job !== undefined && (await job.extendLock(write.token, leaseMs)) > 0;
  }

  async settle(write: ClaimedWrite, settlement: Settlement): Promise<boolean> {
    const mine = `${write.token}:${write.id}`;
    const job = this.#held.get(mine);
    this.#held.delete(mine);
    if (job === undefined || (await job.extendLock(write.token, 10_000)) === 0) return false;
    const counted = settlement.kind !== 'later' || settlement.counted;
    const data = job.data as Data;
    const error = settlement.kind === 'done' ? undefined : settlement.error;
    await job.updateData({
      ...data,
      attempts: data.attempts + (counted ? 1 : 0),
      status: settlement.status,
      error,
      sentBy: settlement.kind === 'later' ? undefined : write.token,
    });
    switch (settlement.kind) {
      case 'done':
        await job.moveToCompleted(settlement.status ?? null, write.token, false);
        await this.#leave(data, write.id);
        return true;
      case 'dead':
        await job.moveToFailed(new Error(settlement.error), write.token, false);
        return true;
      case 'later':
        await job.moveToDelayed(this.#clock.wall() + settlement.afterMs, write.token);
        return true;
    }
  }

  async get(id: string): Promise<OutboxWrite | undefined> {
    const job = await this.#queue.getJob(id);
    return job === undefined ? undefined : this.#writeOf(job);
  }

  async list({ state, dependency, limit = 100 }: ListQuery): Promise<readonly OutboxWrite[]> {
    const states = new Set(state === undefined ? Object.values(STATES).flat() : STATES[state]);
    const jobs = await this.#queue.getJobs([...states], 0, 999, true);
    const isWanted = ({ data }: BullJob) =>
      dependency === undefined || (data as Data).dependency === dependency;
    const chosen = jobs.filter(isWanted);
    const most = Math.min(limit, 1000);
    // only what BullMQ has as active may be of another state than the one that was asked for
    const isMixed = state !== undefined && STATES[state].includes('active');
    const looked = isMixed ? chosen : chosen.slice(0, most);
    const writes = await Promise.all(looked.map((job) => this.#writeOf(job)));
    return isMixed ? writes.filter((write) => write.state === state).slice(0, most) : writes;
  }

  async retry(id: string): Promise<boolean> {
    const job = await this.#queue.getJob(id);
    if (job === undefined || (await job.getState()) !== 'failed') return false;
    await job.updateData({ ...(job.data as Data), attempts: 0, sentBy: undefined });
    await job.retry('failed');
    return true;
  }

  async drop(id: string): Promise<boolean> {
    const job = await this.#remove(id);
    if (job === undefined) return false;
    await this.#leave(job.data as Data, id);
    return true;
  }

  /** The job that was removed; undefined: it is being sent, or there is none. */
  async #remove(id: string): Promise<BullJob | undefined> {
    for (let tries = 1; ; tries++) {
      const job = await this.#queue.getJob(id);
      if (job === undefined || (await this.#writeOf(job)).state === 'sending') return undefined;
      try {
        await job.remove();
        return job;
      } catch (error) {
        // Locked: its place is being looked at, or it is about to be sent; the next try tells which.
        if (tries === DROP_TRIES) throw error;
      }
      await new Promise<void>((resolve) => after(this.#clock, DROP_AGAIN_MS, resolve));
    }
  }

  async hurry(dependency: string): Promise<void> {
    const delayed = await this.#queue.getJobs(['delayed'], 0, 999, true);
    const due = delayed.filter((job) => (job.data as Data).dependency === dependency);
    // One that was promoted, taken or dropped meanwhile needs no hurry any more.
    await Promise.allSettled(due.map((job) => job.promote()));
  }

  /** BullMQ removes completed jobs by itself. */
  async sweep(): Promise<number> {
    return 0;
  }

  async close(): Promise<void> {
    await this.#worker.close();
    await this.#queue.close();
  }

  async #isFirst(data: Data, id: string): Promise<boolean> {
    await this.#line(data, id);
    const first = (await this.#redis.call('ZRANGE', [this.#lane(data), '0', '0'])) as readonly string[];
    if (first[0] === id || first[0] === undefined) return true;
    // Delivered or dropped by a process that died before it gave the place up: it holds nobody up.
    const head = await this.#queue.getJob(first[0]);
    if (head === undefined || (await head.getState()) === 'completed') await this.#leave(data, first[0]);
    return false;
  }

  /** Takes a place at the end of its lane, once. */
  async #line(data: Data, id: string): Promise<void> {
    const key = this.#lane(data);
    if ((await this.#redis.call('ZSCORE', [key, id])) !== null) return;
    const place = (await this.#redis.call('INCR', [`${this.#prefix}places`])) as number;
    await this.#redis.call('ZADD', [key, 'NX', String(place), id]);
  }

  async #leave(data: Data, id: string): Promise<void> {
    await this.#redis.call('ZREM', [this.#lane(data), id]);
  }

  #lane({ dependency, lane }: Data): string {
    return `${this.#prefix}lane:${hash(dependency, lane)}`;
  }

  async #writeOf(job: BullJob): Promise<OutboxWrite> {
    const state = await job.getState();
    const isSent = state === 'active' && (job.data as Data).sentBy !== undefined;
    const known = (Object.keys(STATES) as WriteState[]).find((name) => STATES[name].includes(state));
    return writeOf(job, isSent ? 'sending' : (known ?? 'waiting'));
  }
}

function writeOf(job: BullJob, state: WriteState): OutboxWrite {
  const { dependency, key, lane, request, attempts, status, error } = job.data as Data;
  return {
    id: String(job.id),
    dependency,
    key,
    lane,
    request,
    state,
    attempts,
    status,
    error,
    deferredAt: job.timestamp,
  };
}

function hash(dependency: string, text: string): string {
  return createHash('sha256').update(`${dependency.length}:${dependency}${text}`).digest('hex');
}

/**
 * Deferred writes as BullMQ jobs on Redis, for several processes on several machines. Give Redis `appendonly yes` and
 * `maxmemory-policy noeviction`: what it loses is never sent.
 */
export async function bullmqOutbox(options: BullMqOutboxOptions): Promise<BullMqOutbox> {
  const { bullmq, connection, redis, name = 'spillway-outbox', leaseMs = 30_000 } = options;
  const queue = new bullmq.Queue(name, { connection } as never) as BullQueue;
  const worker = new bullmq.Worker(name, null, {
    connection,
    autorun: false,
    lockDuration: leaseMs,
    stalledInterval: Math.max(1_000, Math.ceil(leaseMs / 3)),
    // A write that outlives its worker is sent again however often that happens: its key keeps it harmless.
    maxStalledCount: 1_000_000,
  } as never) as BullWorker;
  const onError = options.onError ?? ((error: Error) => process.emitWarning(error.message, 'SpillwayOutbox'));
  queue.on('error', onError);
  worker.on('error', onError);
  await worker.startStalledCheckTimer();
  return new QueueOutbox(queue, worker, redis, `spillway:${name}:`, options.clock ?? systemClock());
}
