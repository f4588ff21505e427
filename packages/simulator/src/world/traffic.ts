import { type Random, rankOf, Timer } from '@spillway/core';
import { exponential } from '../chance/numbers.js';
import type { TrafficStats } from '../measure/traffic-stats.js';
import type { RateStep, ResolvedArrivals, ResolvedTraffic } from '../scenario/resolved.js';
import type { SimulationClock } from '../time/simulation-clock.js';
import type { Answer } from './answer.js';
import type { Caller, CallerWatch } from './caller.js';

export interface TrafficPorts {
  readonly spec: ResolvedTraffic;
  readonly clock: SimulationClock;
  readonly random: Random;
  readonly stats: TrafficStats;
  readonly send: (caller: Caller) => void;
  /** No request comes from here on. */
  readonly end: number;
}

/** A client with one request. Its timer is its patience. */
class Client extends Timer implements Caller {
  readonly method: 'GET' = 'GET';
  readonly attempt: number = 1;
  readonly budgetMs: number | undefined;
  readonly rank: number;
  gone = false;
  watch: CallerWatch | undefined = undefined;
  readonly #ports: TrafficPorts;
  readonly #since: number;
  readonly #then: (() => void) | undefined;

  constructor(ports: TrafficPorts, then: (() => void) | undefined) {
    super();
    const { spec, clock, stats } = ports;
    this.#ports = ports;
    this.#since = clock.now();
    this.#then = then;
    this.rank = rankOf(spec.priority);
    this.budgetMs = spec.sendsDeadline && Number.isFinite(spec.patience) ? spec.patience : undefined;
    stats.sent();
    if (spec.patience < Number.POSITIVE_INFINITY) clock.arm(this, spec.patience);
  }

  answered({ status, degraded }: Answer): void {
    this.#end(status, degraded);
  }

  broken(): void {
    this.#end('broken', false);
  }

  wasted(): void {
    // services count it
  }

  onTimer(): void {
    this.gone = true;
    this.#ports.stats.gaveUp(this.#tookMs());
    this.watch?.callerGone();
    this.#then?.();
  }

  #end(status: number | 'broken', degraded: boolean): void {
    if (this.gone) return;
    this.#ports.clock.disarm(this);
    this.#ports.stats.answered(status, degraded, this.#tookMs());
    this.#then?.();
  }

  #tookMs(): number {
    return this.#ports.clock.now() - this.#since;
  }
}

/** Starts the arrivals of one traffic. */
export function startTraffic(ports: TrafficPorts, times: readonly number[]): void {
  const { arrivals } = ports.spec;
  if (arrivals.kind === 'callers') startCallers(ports, arrivals);
  else if (arrivals.kind === 'trace') new Arrivals(ports, traceOf(times)).comeNext();
  else new Arrivals(ports, rateOf(arrivals.steps, arrivals.spacing, ports.random)).comeNext();
}

/** The instant of the next arrival; Infinity when there is none. */
type NextAt = () => number;

class Arrivals extends Timer {
  readonly #ports: TrafficPorts;
  readonly #nextAt: NextAt;

  constructor(ports: TrafficPorts, nextAt: NextAt) {
    super();
    this.#ports = ports;
    this.#nextAt = nextAt;
  }

  comeNext(): void {
    const at = this.#nextAt();
    if (at < this.#ports.end) this.#ports.clock.armArrival(this, at);
  }

  onTimer(): void {
    this.comeNext();
    this.#ports.send(new Client(this.#ports, undefined));
  }
}

function traceOf(times: readonly number[]): NextAt {
  let index = 0;
  return () => times[index++] ?? Number.POSITIVE_INFINITY;
}

/** Evenly spaced instants are multiples of the gap, counted from the step's start, so that they stay exact. */
function rateOf(steps: readonly RateStep[], spacing: 'even' | 'poisson', random: Random): NextAt {
  let index = 0;
  let count = 0;
  let at = steps[0]?.at ?? 0;
  return () => {
    for (;;) {
      const step = steps[index];
      if (step === undefined) return Number.POSITIVE_INFINITY;
      const until = steps[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      if (step.rate === 0) at = until;
      else if (spacing === 'even') at = step.at + (count++ * 1000) / step.rate;
      else at += exponential(random, 1000 / step.rate);
      if (at < until || until === Number.POSITIVE_INFINITY) return at;
      index++;
      count = 0;
      at = until;
    }
  };
}

/** Each caller asks, waits for its answer and a pause, and asks again. They start one after another. */
function startCallers(
  ports: TrafficPorts,
  { callers, pause }: Extract<ResolvedArrivals, { readonly kind: 'callers' }>,
): void {
  for (let i = 0; i < callers; i++) new Loop(ports, pause).start((i * pause) / callers);
}

class Loop extends Timer {
  readonly #ports: TrafficPorts;
  readonly #pause: number;
  readonly #again: () => void = () => this.start(this.#ports.clock.now() + this.#pause);

  constructor(ports: TrafficPorts, pause: number) {
    super();
    this.#ports = ports;
    this.#pause = pause;
  }

  start(at: number): void {
    if (at < this.#ports.end) this.#ports.clock.armArrival(this, at);
  }

  onTimer(): void {
    this.#ports.send(new Client(this.#ports, this.#again));
  }
}
