import type { Spillway, SpillwaySnapshot } from '@spillway/core';
import { readGauge } from './gauges.js';
import type { Recorder } from './recorder.js';
import type { Sample } from './sample.js';

/** What metrics need of a spillway. */
export type MeasuredSpillway = Pick<
  Spillway,
  'service' | 'config' | 'clock' | 'events' | 'subscribe' | 'snapshot'
>;

/** One spillway as a registry reads it. Nothing that goes wrong here gets out of it. */
export class Source {
  readonly spillway: MeasuredSpillway;
  readonly recorder: Recorder;
  /** Counts no further event. */
  readonly stop: () => void;
  #snapshot: SpillwaySnapshot | undefined;
  #failed = false;

  constructor(spillway: MeasuredSpillway, recorder: Recorder) {
    this.spillway = spillway;
    this.recorder = recorder;
    this.stop = spillway.subscribe(recorder.observe);
  }

  read(name: string, into: Sample[]): void {
    try {
      this.recorder.read(name, into);
      readGauge(name, this.#take(), this.recorder, into);
    } catch (error) {
      this.fail(error);
    }
  }

  /** A fault of registry or collector: told once, however often it is scraped. */
  fail(error: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    const { events, clock } = this.spillway;
    events.failures++;
    events.emit({ type: 'observer.failed', at: clock.now(), error: String(error) });
  }

  /** A registry asks all its metrics within one turn: they get one picture. */
  #take(): SpillwaySnapshot {
    if (this.#snapshot === undefined) {
      this.#snapshot = this.spillway.snapshot();
      queueMicrotask(() => {
        this.#snapshot = undefined;
      });
    }
    return this.#snapshot;
  }
}
