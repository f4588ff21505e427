import { randomBytes } from 'node:crypto';
import { after, type Clock, type SpillwayEvent, type SpillwaySnapshot, type Timer } from '@spillway/core';
import type { DependencyRow, Instance, Moment, SnapshotMessage, TickMessage } from '../messages.js';
import { DependencyTrack } from './dependency-track.js';
import { InboundTrack } from './inbound-track.js';
import { type Span, spanOf } from './span.js';
import { Timeline } from './timeline.js';

/** What is read of a spillway. */
export interface Watched {
  readonly service: string;
  readonly clock: Clock;
  snapshot(): SpillwaySnapshot;
  subscribe(observer: (event: SpillwayEvent) => void): () => void;
}

/**
 * One state for all viewers. It looks at the spillway once a tick, whether or not somebody watches, so that the charts
 * begin in the past; it listens to events only while somebody does. What it has to say is put into words once a tick,
 * however many read it.
 */
export class Aggregator {
  readonly instance: Instance;
  readonly timeline: Timeline = new Timeline();
  readonly #watched: Watched;
  readonly #span: Span;
  readonly #historyMs: number;
  readonly #inbound: InboundTrack;
  readonly #dependencies: Map<string, DependencyTrack> = new Map();
  readonly #told: Map<string, string> = new Map();
  #phase: SpillwaySnapshot['phase'] = 'open';
  #observerFailures = 0;
  #at = 0;
  #tickedAt: number;
  #timer: Timer | undefined;
  #unsubscribe: (() => void) | undefined;
  #snapshotText: string | undefined;

  constructor(watched: Watched, tickMs: number, historyMs: number) {
    this.#watched = watched;
    this.#historyMs = historyMs;
    this.#span = spanOf(tickMs, historyMs);
    this.#inbound = new InboundTrack(this.#span);
    const { clock, service } = watched;
    this.#tickedAt = clock.now();
    const id = randomBytes(3).toString('hex');
    this.instance = { id, pid: process.pid, service, startedAt: clock.wall() };
    this.#look();
    this.timeline.takeFresh();
  }

  /** Looks once a tick from now on, and tells `told` each time what has changed. */
  start(told: (tick: () => string) => void): void {
    const beat = () => {
      this.#timer = after(this.#watched.clock, this.#span.tickMs, beat, false);
      this.#look();
      const message = this.#tick();
      told(() => JSON.stringify(message));
    };
    this.#timer = after(this.#watched.clock, this.#span.tickMs, beat, false);
  }

  stop(): void {
    if (this.#timer !== undefined) this.#watched.clock.disarm(this.#timer);
    this.#timer = undefined;
    this.listen(false);
  }

  /** Listens to events, or no longer. */
  listen(isWatched: boolean): void {
    if (isWatched) this.#unsubscribe ??= this.#watched.subscribe((event) => this.#hear(event));
    else {
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    }
  }

  get listening(): boolean {
    return this.#unsubscribe !== undefined;
  }

  note(moment: Omit<Moment, 'at'>): void {
    this.timeline.add({ at: this.#watched.clock.wall(), ...moment });
  }

  /** All of it as of the last tick: whoever gets this misses nothing of the ticks to come. */
  snapshot(): string {
    this.#snapshotText ??= JSON.stringify(this.#whole());
    return this.#snapshotText;
  }

  #whole(): SnapshotMessage {
    const entries = [...this.#dependencies].map(([name, track]) => [
      name,
      { row: track.row, series: track.series() },
    ]);
    return {
      instance: this.instance,
      at: this.#at,
      tickMs: this.#span.tickMs,
      historyMs: this.#historyMs,
      phase: this.#phase,
      observerFailures: this.#observerFailures,
      inbound: { row: this.#inbound.row, series: this.#inbound.series() },
      dependencies: Object.fromEntries(entries) as SnapshotMessage['dependencies'],
      timeline: this.timeline.all(),
    };
  }

  #look(): void {
    const { clock } = this.#watched;
    const seen = this.#watched.snapshot();
    const now = clock.now();
    const ms = now - this.#tickedAt;
    this.#tickedAt = now;
    this.#at = clock.wall();
    this.#phase = seen.phase;
    this.#observerFailures = seen.observerFailures;
    this.#snapshotText = undefined;
    this.#inbound.tick(seen.inbound, this.#at, ms, this.listening);
    for (const dependency of seen.dependencies) {
      const { name } = dependency;
      this.timeline.look(dependency, this.#at);
      this.#track(name).tick(dependency, this.#at, ms, (key) => this.timeline.since(name, key));
    }
  }

  #tick(): TickMessage {
    const rows: Record<string, DependencyRow> = {};
    for (const [name, { row }] of this.#dependencies) if (this.#isNews(name, row)) rows[name] = row;
    const fresh = this.timeline.takeFresh();
    return {
      at: this.#at,
      phase: this.#phase,
      rows,
      // a space cannot start the name of a dependency
      ...(this.#isNews(' inbound', this.#inbound.row) ? { inbound: this.#inbound.row } : {}),
      ...(fresh.length === 0 ? {} : { timeline: fresh }),
    };
  }

  #isNews(name: string, row: object): boolean {
    const text = JSON.stringify(row);
    if (this.#told.get(name) === text) return false;
    this.#told.set(name, text);
    return true;
  }

  #track(name: string): DependencyTrack {
    let track = this.#dependencies.get(name);
    if (track === undefined) {
      track = new DependencyTrack(this.#span);
      this.#dependencies.set(name, track);
    }
    return track;
  }

  #hear(event: SpillwayEvent): void {
    switch (event.type) {
      case 'operation.end':
        this.#track(event.dependency).ended(event);
        break;
      case 'breaker.refused':
        if (!event.observed) this.#track(event.dependency).refused('ERR_BREAKER_OPEN');
        break;
      case 'bulkhead.refused':
        if (!event.observed) this.#track(event.dependency).refused('ERR_BULKHEAD_FULL');
        break;
      case 'retry.stopped':
        // those two are refusals that were counted
        if (event.stopped !== 'breaker' && event.stopped !== 'bulkhead')
          this.#track(event.dependency).refused(`stopped-${event.stopped}`);
        break;
      case 'inbound.admitted':
        this.#inbound.admitted(event);
        break;
      case 'inbound.refused':
        this.#inbound.refused(event);
        break;
      case 'inbound.expired':
        this.#inbound.expired();
        break;
      case 'breaker.transition':
        this.timeline.changed(event, this.#wallOf(event.at));
        break;
      case 'breaker.evicted':
        this.timeline.evicted(event);
    }
  }

  /** When it was by the wall clock. */
  #wallOf(at: number): number {
    const { clock } = this.#watched;
    return Math.round(clock.wall() - (clock.now() - at));
  }
}
