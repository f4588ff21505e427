import type { Call } from './call/call.js';
import { spillwayError } from './call/errors.js';
import type { Transport } from './call/transport.js';
import { check, type Finding } from './check/check.js';
import { toMs } from './config/durations.js';
import { resolveConfig } from './config/resolve.js';
import type { ResolvedConfig } from './config/resolved.js';
import type { Duration, SpillwayConfig } from './config/types.js';
import type { ContextCarrier } from './context/context.js';
import { controlOf, Dependency, type DependencyOf, type LiveDependency } from './dependency.js';
import { Inbound } from './inbound/inbound.js';
import { DependencyRuntime, type RuntimePorts } from './pipeline/dependency-runtime.js';
import { HeaderHooks } from './pipeline/header-hooks.js';
import { link } from './pipeline/link.js';
import type { PlacedPolicy } from './pipeline/slots.js';
import type { FallbackCall } from './policies/fallback.js';
import type { Observer } from './telemetry/events.js';
import { FanOut } from './telemetry/fan-out.js';
import { type Health, healthOf } from './telemetry/health.js';
import { type SpillwaySnapshot, snapshotDependency } from './telemetry/snapshot.js';
import { after, type Clock } from './time/clock.js';
import type { Random } from './time/random.js';
import { systemClock, systemRandom } from './time/system-clock.js';

export interface SpillwayOptions {
  /** Default: the process's own clock. */
  readonly clock?: Clock;
  /** Default: Math.random. */
  readonly random?: Random;
  readonly observers?: readonly Observer[];
  /** In place of the network, by dependency: for tests and simulations. */
  readonly transports?: Readonly<Record<string, Transport>>;
  /** Ambient context: calls made without a parent find the current request's. Default none. */
  readonly context?: ContextCarrier;
  /** `layered` runs the written form alone: to compare, or to look for a fault. Default: the fused form where it serves. */
  readonly link?: 'layered';
}

/** Makes the client that a fallback may use; the client package registers it. */
export type ClientMaker = (name: string, parent: Call) => unknown;

/**
 * Makes a spillway: validates the whole configuration at once, checks it for contradictions, and builds the live
 * policies.
 * @throws SpillwayError ERR_CONFIG naming each wrong option by path, value and allowed range
 */
export function createSpillway<F extends Record<string, unknown> = Record<never, never>>(
  config: SpillwayConfig<F>,
  options: SpillwayOptions = {},
): Spillway<F> {
  // the parts that depend on F are types only
  return new Spillway<F>(config as SpillwayConfig, options);
}

/** The live runtime of one service: its inbound gate and its dependencies. Made by `createSpillway`. */
export class Spillway<F extends Record<string, unknown> = Record<never, never>> {
  readonly service: string;
  readonly config: ResolvedConfig;
  readonly clock: Clock;
  readonly random: Random;
  /** Every event goes through here. */
  readonly events: FanOut = new FanOut();
  /** What adds to the headers of clients' attempts. */
  readonly headerHooks: HeaderHooks;
  /** What the checker has to say about the configuration. */
  readonly findings: readonly Finding[];
  readonly inbound: Inbound;
  readonly context: ContextCarrier | undefined;
  readonly #link: 'layered' | undefined;
  readonly #transports: Readonly<Record<string, Transport>>;
  readonly #live: Map<string, LiveDependency> = new Map();
  readonly #handles: Map<string, Dependency<unknown>> = new Map();
  readonly #phase: { current: 'open' | 'draining' | 'closed' } = { current: 'open' };
  readonly #onClose: Set<() => void> = new Set();
  #clientMaker: ClientMaker | undefined;
  readonly #ports: RuntimePorts;

  constructor(config: SpillwayConfig, options: SpillwayOptions) {
    this.config = resolveConfig(config);
    this.findings = refuseErrors(check(config, this.config), this.config.strict);
    this.service = this.config.service;
    this.clock = options.clock ?? systemClock();
    this.random = options.random ?? systemRandom;
    this.headerHooks = new HeaderHooks(this.events, this.clock);
    this.context = options.context;
    this.#link = options.link;
    this.#transports = options.transports ?? {};
    for (const observer of options.observers ?? []) this.events.subscribe(observer);
    const { clock, random, service } = this;
    this.inbound = new Inbound(this.config.inbound, { clock, random, emit: this.events, service });
    this.#ports = this.#portsOfDependencies();
    for (const [name] of this.config.dependencies) this.#make(name, config);
  }

  /**
   * A dependency by name, guarded by its policy.
   * @param options.parent the call whose deadline and cancellation it inherits
   * @throws SpillwayError ERR_UNKNOWN_DEPENDENCY
   */
  dependency<N extends keyof F & string>(
    name: N,
    options?: { readonly parent?: Call | undefined },
  ): DependencyOf<F, N> {
    const live = this.#live.get(name);
    if (live === undefined) throw unknownDependency(name, [...this.#live.keys()]);
    const parent = options?.parent;
    if (parent !== undefined) return new Dependency(live, parent);
    let handle = this.#handles.get(name);
    if (handle === undefined) {
      handle = new Dependency<unknown>(live, undefined);
      this.#handles.set(name, handle);
    }
    // the fallback's type is known to the config's type alone
    return handle as DependencyOf<F, N>;
  }

  /** Calls `observer` with every event; returns the way to stop. */
  subscribe(observer: Observer): () => void {
    return this.events.subscribe(observer);
  }

  /** The state at this instant, JSON-safe. */
  snapshot(): SpillwaySnapshot {
    const at = this.clock.now();
    return {
      service: this.service,
      at,
      phase: this.#phase.current,
      inbound: this.inbound.snapshot(),
      dependencies: [...this.#live.values()].map(({ runtime }) => snapshotDependency(runtime, at)),
      observerFailures: this.events.failures,
    };
  }

  /** Ready, or degraded with reasons. For readiness probes; one open breaker does not flip it. */
  health(): Health {
    return healthOf(this.snapshot());
  }

  /**
   * Stops taking work: new requests get 503 and `Connection: close`, sleeping retries end with the failure they
   * had. Resolves when nothing is in flight any more, or after `within` (default 10 s).
   * @returns whether everything ended in time
   */
  async drain(options: { readonly within?: Duration } = {}): Promise<boolean> {
    if (this.#phase.current === 'open') this.#phase.current = 'draining';
    this.inbound.drain();
    for (const { runtime } of this.#live.values()) runtime.stopSleepers();
    const until = this.clock.now() + toMs(options.within ?? '10s', 'within');
    while (this.#busy() && this.clock.now() < until) await this.#pause(DRAIN_POLL_MS);
    return !this.#busy();
  }

  /** Forgets everything learnt, between tests: breakers closed, budgets and windows empty, limits as at the start. */
  reset(): void {
    for (const [name] of this.config.dependencies) {
      const live = this.#live.get(name) as LiveDependency;
      if (live.runtime.breakers !== undefined) controlOf(live).reset();
      live.runtime.reset();
    }
    this.inbound.reset();
    if (this.#phase.current === 'draining') this.#phase.current = 'open';
  }

  /** Ends it: calls afterwards reject with ERR_CLOSED. A second `close` does nothing. */
  close(): void {
    if (this.#phase.current === 'closed') return;
    this.#phase.current = 'closed';
    for (const { runtime } of this.#live.values()) {
      runtime.stopSleepers();
      runtime.dropFaults();
    }
    this.inbound.drain();
    for (const end of this.#onClose) end();
    this.#onClose.clear();
  }

  /** Calls `end` once, on `close()`. For packages that hold sockets or timers of a spillway. */
  onClose(end: () => void): void {
    this.#onClose.add(end);
  }

  /** What stands in for the network of a dependency, if anything does. */
  transport(name: string): Transport | undefined {
    return this.#transports[name];
  }

  /** How fallbacks come by clients of other dependencies; called by the client package. */
  provideClients(maker: ClientMaker): void {
    this.#clientMaker ??= maker;
  }

  #make(name: string, config: SpillwayConfig): void {
    const options = this.config.dependencies.get(name);
    if (options === undefined) return;
    const runtime = new DependencyRuntime(options, this.#ports);
    const custom = config.dependencies?.[name]?.policies ?? NO_POLICIES;
    const linked = link(runtime, custom, this.#link);
    this.#live.set(name, {
      runtime,
      linked,
      custom,
      breaker: undefined,
      faults: this.config.faults,
      context: this.context,
    });
  }

  #portsOfDependencies(): RuntimePorts {
    const { clock, random, context } = this;
    const reach = (parent: FallbackCall) => this.#reach(parent);
    return { clock, random, emit: this.events, ids: { last: 0 }, phase: this.#phase, context, reach };
  }

  #reach(parent: FallbackCall) {
    return {
      dependency: (name: string): unknown => this.dependency(name as never, { parent }),
      client: (name: string): unknown => {
        if (this.#clientMaker === undefined) throw noClients();
        return this.#clientMaker(name, parent);
      },
    };
  }

  #busy(): boolean {
    for (const { runtime } of this.#live.values()) if (runtime.inFlight > 0) return true;
    return this.inbound.snapshot().inFlight > 0;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      after(this.clock, ms, resolve);
    });
  }
}

const DRAIN_POLL_MS = 10;
const NO_POLICIES: readonly PlacedPolicy[] = [];

function refuseErrors(findings: readonly Finding[], strict: boolean): readonly Finding[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (!strict || errors.length === 0) return findings;
  const lines = errors.map(({ id, path, message, fix }) => `  ${path}: ${message} ${fix} (${id})`);
  throw spillwayError(
    'ERR_CONFIG',
    `Options that can never take effect; mend them, or pass strict: false\n${lines.join('\n')}`,
    {
      details: { findings: errors },
    },
  );
}

function unknownDependency(name: string, known: readonly string[]) {
  const list = known.length === 0 ? 'none is configured' : `configured: ${known.join(', ')}`;
  return spillwayError('ERR_UNKNOWN_DEPENDENCY', `No dependency is named '${name}'; ${list}`, {
    dependency: name,
  });
}

function noClients() {
  return spillwayError(
    'ERR_CONFIG',
    'A fallback asked for a client; call clients(spillway) of @spillway/client once at start-up',
  );
}
