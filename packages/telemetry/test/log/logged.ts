import { afterEach } from '@jest/globals';
import { createSpillway, type DependencyConfig, type Spillway } from '@spillway/core';
import { type LogOptions, logEvents } from '@spillway/telemetry/log';
import { type ManualClock, manualClock } from '@spillway/testing';

const cleanups: (() => unknown)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

export type Line = Readonly<Record<string, unknown>>;

export interface Logged {
  readonly clock: ManualClock;
  readonly spillway: Spillway<{ db: never }>;
  readonly lines: Line[];
  /** Lines of one event. */
  of(event: string): Line[];
  readonly stop: () => void;
}

/** A spillway with the dependency `db`, on a clock of the test's own, and what it logs. */
export function logged(policy: DependencyConfig<never> = {}, options: Partial<LogOptions> = {}): Logged {
  const clock = manualClock();
  const spillway = createSpillway<{ db: never }>(
    { service: 'shop', dependencies: { db: { retry: RETRY, ...policy } } },
    { clock },
  );
  const lines: Line[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Line);
  const stop = logEvents(spillway, { level: 'debug', write, ...options } as LogOptions);
  cleanups.push(() => spillway.close());
  return { clock, spillway, lines, of: (event) => lines.filter((line) => line['event'] === event), stop };
}

const RETRY = { attempts: 3, backoff: { base: '100ms', factor: 2, jitter: 'none' }, budget: false } as const;

/** Work that fails so often, then answers. */
export function failing(times: number): () => Promise<string> {
  let calls = 0;
  return async () => {
    calls++;
    if (calls <= times) throw new Error(`hunter2 failed ${calls}`);
    return 'fine';
  };
}
