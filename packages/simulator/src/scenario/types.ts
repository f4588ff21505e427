import type { Duration, SpillwayConfig } from '@spillway/core';

/** How long a service takes for one request, before it calls anybody. A bare duration is a fixed one. */
export type Latency =
  | Duration
  | { readonly fixed: Duration }
  | { readonly uniform: { readonly from: Duration; readonly to: Duration } }
  /** Cut off below `min`, default 0. */
  | { readonly normal: { readonly mean: Duration; readonly sd: Duration; readonly min?: Duration } }
  | { readonly logNormal: { readonly median: Duration; readonly p99: Duration } }
  /** Quantiles by name (`p50`, `p99.9`, `min`, `max`), straight lines between them. */
  | { readonly percentiles: Readonly<Record<string, Duration>> };

/**
 * What goes wrong with a service. `status`: it answers with an error, after `after`. `slow`: its latency times
 * `factor`. `hang`: no answer ever. `reset`: the connection breaks after `after`. `refuse`: nobody listens.
 */
export interface Fault {
  readonly kind: 'status' | 'slow' | 'hang' | 'reset' | 'refuse';
  /** Default: from the start. */
  readonly from?: Duration;
  /** Default: to the end; not included. */
  readonly to?: Duration;
  /** Part of the requests that it hits, above 0 up to 1. Default 1. */
  readonly share?: number;
  /** For `status`: 400 to 599. Default 503. */
  readonly status?: number;
  /** For `status`: the wait it asks for. Default none. */
  readonly retryAfter?: Duration;
  /** For `slow`. Default 10. */
  readonly factor?: number;
  /** For `status` and `reset`: how long it takes. Default 0, at once. */
  readonly after?: Duration;
}

/** A restart: what is in work breaks, then nobody listens, then the service is slow until it is warm. */
export interface Restart {
  readonly at: Duration;
  /** Default 2 s. */
  readonly down?: Duration;
  /** Latency starts `factor` times as long and comes down to normal in a straight line over `for`. */
  readonly cold?: { readonly for: Duration; readonly factor: number };
  /** One instance after another, so far apart. Default: all at once. */
  readonly rolling?: Duration;
}

/** One call that a service makes for a request, through its own Spillway. */
export interface ServiceCall {
  /** Name of the service and of the dependency in `spillway.dependencies`. */
  readonly to: string;
  /** Part of the requests that make it. Default 1. */
  readonly share?: number;
  /** Calls of this kind for one request, one after another. Default 1. */
  readonly times?: number;
  /** May it be repeated? Default true. */
  readonly idempotent?: boolean;
  /** An optional call that fails leaves the answer good, but degraded. Default false. */
  readonly optional?: boolean;
}

export interface Service {
  /** Default 10 ms. */
  readonly latency?: Latency;
  /** Requests in work at once, per instance. Default: no bound. */
  readonly capacity?: number;
  /** Requests that may wait for a place, per instance; more are answered 503. Default 1,000. */
  readonly queue?: number;
  /** Each has its own capacity, its own queue and its own Spillway. Default 1. */
  readonly instances?: number;
  /** When the caller has gone: `finish` the work all the same (as most servers do), or `stop`. Default `finish`. */
  readonly whenGone?: 'finish' | 'stop';
  readonly faults?: readonly Fault[];
  readonly restarts?: readonly Restart[];
  /** Its configuration, as in production; a dependency's name is the name of a service. */
  readonly spillway?: SpillwayConfig;
  readonly calls?: readonly (string | ServiceCall)[];
  /** Make the calls all at once. Default false: one after another. */
  readonly parallel?: boolean;
}

/**
 * When requests come. `rate` per second, evenly spaced or at random (`poisson`), over time in steps; `callers` who
 * each wait for their answer and a `pause` (default 1 ms) before they ask again; a recorded `trace` of instants in ms, or a file.
 */
export type Arrivals =
  | {
      readonly rate: number | readonly { readonly at: Duration; readonly rate: number }[];
      readonly spacing?: 'even' | 'poisson';
    }
  | { readonly callers: number; readonly pause?: Duration }
  | { readonly trace: readonly number[] | string };

export interface Traffic {
  /** Name of the service that it asks. */
  readonly to: string;
  readonly arrivals: Arrivals;
  /** Clients give up after this, and leave. Default: never. */
  readonly patience?: Duration;
  /** Tell the service how long they wait, in X-Request-Budget-Ms. Default false. */
  readonly sendsDeadline?: boolean;
  readonly priority?: 'critical_plus' | 'critical' | 'sheddable_plus' | 'sheddable';
}

/** A world and what is asked of it. */
export interface Scenario {
  readonly name?: string;
  readonly about?: string;
  /** Default 1. */
  readonly seed?: number;
  /** Requests come for so long. */
  readonly duration: Duration;
  /** Afterwards the world runs on until all is answered, at most so long. Default 60 s. */
  readonly settle?: Duration;
  /** Only what happens within counts for totals and percentiles; the timelines show everything. Default: everything. */
  readonly measure?: { readonly from?: Duration; readonly to?: Duration };
  /** Resolution of the timelines. Default: a 200th of the whole, at least 50 ms. */
  readonly step?: Duration;
  readonly services: Readonly<Record<string, Service>>;
  readonly traffic: Readonly<Record<string, Traffic>>;
  /** The dependency whose numbers stand on top, as `shop.quotes`. Default: all together. */
  readonly focus?: string;
  /** Conditions, as `amplification <= 1.1`, `recovery <= 5s`, `shop.quotes.p99 < 400ms`. */
  readonly expect?: readonly string[];
  /** Side by side, each a part of a scenario that is merged over this one. */
  readonly variants?: Readonly<Record<string, ScenarioPatch>>;
}

/** Objects merge key by key; everything else replaces. */
export type ScenarioPatch = Readonly<Record<string, unknown>>;
