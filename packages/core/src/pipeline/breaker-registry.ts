import { BreakerMachine } from '../algorithms/breaker.js';
import { spillwayError } from '../call/errors.js';
import type { ResolvedBreaker, ResolvedDependency } from '../config/resolved.js';
import type { Mode } from '../config/types.js';
import type { BreakerStateName } from '../telemetry/events.js';
import type { FanOut } from '../telemetry/fan-out.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import type { Operation } from './operation.js';

/** A breaker, its key, and who waits for it to let calls pass again. */
export interface BreakerHandle {
  readonly key: string;
  readonly machine: BreakerMachine;
  /** Made for the first who waits. */
  waiters: Set<() => void> | undefined;
  mode: Mode;
}

/** Calls may pass again, or a probe's place has come free: all who wait ask again. */
export function wakeWaiters({ waiters }: BreakerHandle): void {
  if (waiters !== undefined) for (const wake of [...waiters]) wake();
}

interface RegistryRuntime {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: FanOut;
}

/**
 * The breakers of one dependency, by scope key. At most `maxKeys`: the least recently used leave first, open ones
 * last (C-023). The key of scope `dependency` is the dependency's name.
 */
export class BreakerRegistry {
  readonly options: ResolvedBreaker;
  readonly #dependency: ResolvedDependency;
  readonly #runtime: RegistryRuntime;
  /** In order of use, oldest first. */
  readonly #handles = new Map<string, BreakerHandle>();
  readonly #own: BreakerHandle | undefined;
  #onCreate: ((handle: BreakerHandle) => void) | undefined;

  constructor(options: ResolvedBreaker, dependency: ResolvedDependency, runtime: RegistryRuntime) {
    this.options = options;
    this.#dependency = dependency;
    this.#runtime = runtime;
    this.#own = options.scope === 'dependency' ? this.get(dependency.name) : undefined;
  }

  /** The breaker of an operation. @throws SpillwayError ERR_CONFIG when a `scope` function gives no key */
  of(spec: Operation<unknown>): BreakerHandle {
    return this.#own ?? this.get(this.#keyOf(spec));
  }

  /** The breaker of a key; made when it is new. */
  get(key: string): BreakerHandle {
    const known = this.#handles.get(key);
    if (known !== undefined) {
      if (this.#handles.size > 1) {
        this.#handles.delete(key);
        this.#handles.set(key, known);
      }
      return known;
    }
    if (this.#handles.size >= this.options.maxKeys) this.#evict();
    const handle = this.#create(key);
    this.#handles.set(key, handle);
    this.#onCreate?.(handle);
    return handle;
  }

  /** Looks without making or touching anything. */
  peek(key: string): BreakerHandle | undefined {
    return this.#handles.get(key);
  }

  all(): IterableIterator<BreakerHandle> {
    return this.#handles.values();
  }

  get size(): number {
    return this.#handles.size;
  }

  /** Does something to every breaker, those made later included. */
  forAll(act: (handle: BreakerHandle) => void, lasting: boolean): void {
    this.#onCreate = lasting ? act : undefined;
    for (const handle of this.#handles.values()) act(handle);
  }

  #keyOf(spec: Operation<unknown>): string {
    const { scope } = this.options;
    const { operation, method, path } = spec;
    const { name, baseUrl } = this.#dependency;
    const origin = spec.origin ?? baseUrl?.origin;
    if (scope === 'origin') return origin ?? name;
    if (scope === 'endpoint') return `${method ?? operation} ${pathOnly(path) ?? operation}`;
    if (scope === 'dependency') return name;
    const key = scope({ dependency: name, operation, method, origin, path, key: spec.options.key });
    // one breaker shared by all calls without a key would let any of them shut out the others (C-021)
    if (typeof key !== 'string' || key === '') throw noKey(name, operation, key);
    return key;
  }

  #create(key: string): BreakerHandle {
    const { random, emit } = this.#runtime;
    const dependency = this.#dependency.name;
    const onTransition = (from: BreakerStateName, to: BreakerStateName, at: number, openMs?: number) => {
      if (emit.enabled) emit.emit({ type: 'breaker.transition', at, dependency, key, from, to, openMs });
      if (to !== 'open' && to !== 'forced-open') wakeWaiters(handle);
    };
    const machine = new BreakerMachine(machineOptions(this.options, this.#dependency), random, onTransition);
    const handle: BreakerHandle = { key, machine, waiters: undefined, mode: this.options.mode };
    return handle;
  }

  #evict(): void {
    const { clock, emit } = this.#runtime;
    const now = clock.now();
    let victim: string | undefined;
    for (const [key, { machine }] of this.#handles) {
      victim ??= key;
      if (machine.state(now) !== 'closed') continue;
      victim = key;
      break;
    }
    if (victim === undefined) return;
    this.#handles.delete(victim);
    if (emit.enabled)
      emit.emit({ type: 'breaker.evicted', at: now, dependency: this.#dependency.name, key: victim });
  }
}

function machineOptions(options: ResolvedBreaker, dependency: ResolvedDependency) {
  const { timeoutMs } = dependency.attempt;
  const attemptMs = Number.isFinite(timeoutMs) ? timeoutMs + 1000 : 0;
  return {
    window: options.window,
    minCalls: options.minCalls,
    failureRate: options.failureRate,
    consecutive: options.consecutive,
    slow: options.slow,
    openForMs: options.openForMs,
    maxOpenForMs: options.maxOpenForMs,
    jitter: options.jitter,
    probes: options.probes,
    leaseMs: Math.max(options.openForMs, attemptMs),
    operationsWindow: options.observes === 'both',
  };
}

function noKey(name: string, operation: string, key: unknown): Error {
  const shown = key === '' ? "''" : String(key);
  const message = `dependencies.${name}.breaker.scope returned ${shown} for ${operation}; return a text of 1 character or more, the key of its breaker`;
  return spillwayError('ERR_CONFIG', message, { dependency: name, operation });
}

/** A key never holds a query string (C-023). */
function pathOnly(path: string | undefined): string | undefined {
  return path?.split(/[?#]/, 1)[0];
}
