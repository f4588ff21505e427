/** What is used of BullMQ (5 or 6), so that it is imported by the application alone. */
export interface BullJob {
  readonly id?: string | undefined;
  readonly data: unknown;
  readonly timestamp: number;
  getState(): Promise<string>;
  updateData(data: unknown): Promise<void>;
  extendLock(token: string, duration: number): Promise<number>;
  moveToCompleted(value: unknown, token: string, fetchNext?: boolean): Promise<unknown>;
  moveToFailed(error: Error, token: string, fetchNext?: boolean): Promise<unknown>;
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
  promote(): Promise<void>;
  retry(state: 'failed'): Promise<void>;
  remove(): Promise<void>;
}

interface Reports {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface BullQueue extends Reports {
  add(name: string, data: unknown, options: object): Promise<BullJob>;
  getJob(id: string): Promise<BullJob | undefined>;
  getJobs(types: string[], start: number, end: number, ascending: boolean): Promise<BullJob[]>;
  getJobCounts(...types: string[]): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export interface BullWorker extends Reports {
  getNextJob(token: string, options: { block: boolean }): Promise<BullJob | undefined>;
  startStalledCheckTimer(): Promise<void>;
  close(): Promise<void>;
}

export interface BullMq {
  readonly Queue: new (name: string, options: never) => unknown;
  readonly Worker: new (name: string, processor: null, options: never) => unknown;
}

/** An ioredis client. */
export interface LaneRedis {
  call(command: string, args: string[]): Promise<unknown>;
}
