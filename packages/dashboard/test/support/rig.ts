import {
  after,
  createSpillway,
  type DependencyConfig,
  type Spillway,
  type SpillwayConfig,
  seededRandom,
  VirtualClock,
} from '@spillway/core';
import type { DependencyRow, SnapshotMessage, TickMessage } from '../../src/messages.js';
import { Aggregator } from '../../src/state/aggregator.js';

export type Quotes = Spillway<{ quotes: unknown }>;

export interface Rig {
  readonly clock: VirtualClock;
  readonly spillway: Quotes;
  readonly aggregator: Aggregator;
  /** What was told, one a tick. */
  readonly ticks: TickMessage[];
  readonly snapshot: () => SnapshotMessage;
  /** The row of `quotes` as of the last tick. */
  readonly row: () => DependencyRow;
  /** One operation that takes `ms` and succeeds, or fails. */
  readonly call: (ms: number, fails?: boolean) => Promise<unknown>;
}

/** A spillway with the dependency `quotes` under virtual time, and an aggregator that looks once a second. */
export function rig(quotes: DependencyConfig = {}, config: SpillwayConfig = {}): Rig {
  const clock = new VirtualClock();
  const spillway = createSpillway<{ quotes: unknown }>(
    { service: 'shop', ...config, dependencies: { quotes } },
    { clock, random: seededRandom(3) },
  );
  const aggregator = new Aggregator(spillway, 1000, 60_000);
  const ticks: TickMessage[] = [];
  aggregator.start((tick) => ticks.push(JSON.parse(tick()) as TickMessage));
  const snapshot = () => JSON.parse(aggregator.snapshot()) as SnapshotMessage;
  const row = () => snapshot().dependencies['quotes']?.row as DependencyRow;
  const call = (ms: number, fails = false) =>
    spillway.dependency('quotes').settle(
      () =>
        new Promise((resolve, reject) => {
          const end = fails ? () => reject(new Error('down')) : () => resolve('fine');
          if (ms === 0) end();
          else after(clock, ms, end);
        }),
      { idempotent: true },
    );
  return { clock, spillway, aggregator, ticks, snapshot, row, call };
}
