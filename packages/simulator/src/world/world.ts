import { type Observer, type Random, type SpillwayEvent, seededRandom } from '@spillway/core';
import { drawOf } from '../chance/latency.js';
import { seedFor } from '../chance/seeds.js';
import { DependencyStats } from '../measure/dependency-stats.js';
import { ServiceStats } from '../measure/service-stats.js';
import { TrafficStats } from '../measure/traffic-stats.js';
import { Window } from '../measure/window.js';
import type { ResolvedScenario, ResolvedService } from '../scenario/resolved.js';
import { SimulationClock } from '../time/simulation-clock.js';
import { SimService } from './service.js';
import { startTraffic } from './traffic.js';

/** Services, what is asked of them, and what they do, in one virtual time. */
export class World {
  readonly scenario: ResolvedScenario;
  readonly clock: SimulationClock = new SimulationClock();
  readonly window: Window;
  readonly services: Map<string, SimService> = new Map();
  /** By `service.dependency`. */
  readonly dependencies: Map<string, DependencyStats> = new Map();
  readonly traffic: Map<string, TrafficStats> = new Map();
  readonly serviceStats: Map<string, ServiceStats> = new Map();

  constructor(scenario: ResolvedScenario, onEvent?: (service: string, event: SpillwayEvent) => void) {
    this.scenario = scenario;
    this.window = new Window(this.clock, scenario.measure.from, scenario.measure.to);
    for (const [name, spec] of Object.entries(scenario.services)) this.#addService(name, spec, onEvent);
    for (const name of Object.keys(scenario.traffic)) this.#addTraffic(name);
  }

  /** Requests that nobody has answered yet and whose clients still wait. */
  get waiting(): number {
    let waiting = 0;
    for (const stats of this.traffic.values()) waiting += stats.waiting;
    return waiting;
  }

  #random(purpose: string): Random {
    return seededRandom(seedFor(this.scenario.seed, purpose));
  }

  #addService(
    name: string,
    spec: ResolvedService,
    onEvent?: (service: string, event: SpillwayEvent) => void,
  ): void {
    const stats = new ServiceStats(this.window);
    this.serviceStats.set(name, stats);
    const own = new Map<string, DependencyStats>();
    for (const { to } of spec.calls) {
      if (own.has(to)) continue;
      own.set(to, new DependencyStats(this.window));
      this.dependencies.set(`${name}.${to}`, own.get(to) as DependencyStats);
    }
    const service = new SimService({
      name,
      spec,
      clock: this.clock,
      random: this.#random(`service ${name}`),
      policyRandom: this.#random(`policies of ${name}`),
      draw: drawOf(spec.latency),
      stats,
      observerOf: (instance) => observe(own, instance, onEvent && ((event) => onEvent(name, event))),
      send: (to, caller) => this.services.get(to)?.take(caller),
      statsOf: (dependency) => own.get(dependency) as DependencyStats,
    });
    this.services.set(name, service);
  }

  #addTraffic(name: string): void {
    const spec = this.scenario.traffic[name];
    const target = spec === undefined ? undefined : this.services.get(spec.to);
    if (spec === undefined || target === undefined) return;
    const stats = new TrafficStats(this.window);
    this.traffic.set(name, stats);
    const times =
      spec.arrivals.kind === 'trace' && typeof spec.arrivals.times !== 'string' ? spec.arrivals.times : [];
    startTraffic(
      {
        spec,
        clock: this.clock,
        random: this.#random(`traffic ${name}`),
        stats,
        send: (caller) => target.take(caller),
        end: this.scenario.duration,
      },
      times,
    );
  }
}

/** Sorts core's events into the statistics of their dependencies. */
function observe(own: ReadonlyMap<string, DependencyStats>, instance: number, also?: Observer): Observer {
  return (event) => {
    also?.(event);
    switch (event.type) {
      case 'operation.start':
        return own.get(event.dependency)?.operationStarted(event.at);
      case 'attempt.start':
        return own.get(event.dependency)?.attemptStarted(event);
      case 'operation.end':
        return own.get(event.dependency)?.operationEnded(event);
      case 'breaker.transition':
        return own.get(event.dependency)?.breakerMoved(event, instance);
    }
  };
}
