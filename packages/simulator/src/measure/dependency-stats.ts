import type { BreakerStateName, EventOf, OperationOutcome } from '@spillway/core';
import { Histogram } from './histogram.js';
import type { Window } from './window.js';

/** A breaker that changed its state. */
export interface Transition {
  readonly atMs: number;
  /** Counted from 0. */
  readonly instance: number;
  readonly key: string;
  readonly from: BreakerStateName;
  readonly to: BreakerStateName;
}

/** More transitions than this are counted and not listed. */
const MOST_TRANSITIONS = 500;

/** Counts since the last step of the timelines. */
export interface StepCounts {
  operations: number;
  attempts: number;
  good: number;
  failed: number;
  refused: number;
}

/** What one service saw of one dependency, all instances together; read off core's events. */
export class DependencyStats {
  readonly outcomes: Record<OperationOutcome, number> = {
    success: 0,
    degraded: 0,
    failed: 0,
    refused: 0,
    cancelled: 0,
  };
  readonly refusals: Map<string, number> = new Map();
  readonly stopped: Map<string, number> = new Map();
  /** Of operations that ended. */
  readonly latency: Histogram = new Histogram();
  readonly good: Histogram = new Histogram();
  readonly failures: Histogram = new Histogram();
  readonly transitions: Transition[] = [];
  transitionCount = 0;
  operations = 0;
  attempts = 0;
  retries = 0;
  wastedCount = 0;
  wastedMs = 0;
  inFlight = 0;
  maxInFlight = 0;
  readonly step: StepCounts = { operations: 0, attempts: 0, good: 0, failed: 0, refused: 0 };
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
  }

  operationStarted(at: number): void {
    this.step.operations++;
    if (++this.inFlight > this.maxInFlight) this.maxInFlight = this.inFlight;
    if (this.#window.includes(at)) this.operations++;
  }

  attemptStarted({ at, attempt }: EventOf<'attempt.start'>): void {
    this.step.attempts++;
    if (!this.#window.includes(at)) return;
    this.attempts++;
    if (attempt > 1) this.retries++;
  }

  operationEnded({ at, outcome, code, stopped, durationMs }: EventOf<'operation.end'>): void {
    this.inFlight--;
    const isGood = outcome === 'success' || outcome === 'degraded';
    if (isGood) this.step.good++;
    else if (outcome === 'refused') this.step.refused++;
    else this.step.failed++;
    if (!this.#window.includes(at)) return;
    this.outcomes[outcome]++;
    this.latency.add(durationMs);
    if (isGood) this.good.add(durationMs);
    else if (outcome !== 'cancelled') this.failures.add(durationMs);
    if (outcome === 'refused') count(this.refusals, code ?? 'other');
    if (stopped !== undefined) count(this.stopped, stopped);
  }

  breakerMoved({ at, key, from, to }: EventOf<'breaker.transition'>, instance: number): void {
    this.transitionCount++;
    if (this.transitions.length < MOST_TRANSITIONS)
      this.transitions.push({ atMs: at, instance, key, from, to });
  }

  wasted(ms: number): void {
    if (!this.#window.open) return;
    this.wastedCount++;
    this.wastedMs += ms;
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
