import type { SavedBreaker } from '../algorithms/breaker.js';
import { spillwayError } from '../call/errors.js';
import type { BreakerStateName } from '../telemetry/events.js';
import type { Clock } from '../time/clock.js';
import type { BreakerHandle, BreakerRegistry } from './breaker-registry.js';

/** State and controls of one breaker. Reading changes nothing. */
export interface BreakerKeyControl {
  readonly state: BreakerStateName;
  /** Open time left, ms; 0 when calls pass. */
  readonly retryAfterMs: number;
  /** Refuses everything until `forceClose` or `reset`. */
  forceOpen(): void;
  /** Closes with empty windows and goes on judging. */
  forceClose(): void;
  /** Lets everything pass and records nothing until `forceClose` or `reset`. */
  disable(): void;
  /** Decides and counts, but refuses nothing, until `reset`. */
  observeOnly(): void;
  /** As it was when made. */
  reset(): void;
  /** A JSON-safe state, to `restore` in another process. */
  export(): SavedBreaker;
  restore(saved: SavedBreaker): void;
}

/** Controls all breakers of a dependency; called with a key, the one of that key. */
export interface BreakerControl extends BreakerKeyControl {
  (key: string): BreakerKeyControl;
}

/** The controls of a dependency's breakers. Without a breaker its state is `disabled`, and every control refuses. */
export function breakerControl(
  name: string,
  registry: BreakerRegistry | undefined,
  clock: Clock,
): BreakerControl {
  const control = (key: string) => new KeyControl(name, registry, clock, key);
  const whole = new KeyControl(name, registry, clock, undefined);
  const controlled: unknown = Object.defineProperties(control, {
    state: { get: () => whole.state, enumerable: true },
    retryAfterMs: { get: () => whole.retryAfterMs, enumerable: true },
    ...Object.fromEntries(ACTIONS.map((action) => [action, { value: whole[action].bind(whole) }])),
  });
  return controlled as BreakerControl;
}

const ACTIONS = ['forceOpen', 'forceClose', 'disable', 'observeOnly', 'reset', 'export', 'restore'] as const;

class KeyControl implements BreakerKeyControl {
  readonly #name: string;
  readonly #registry: BreakerRegistry | undefined;
  readonly #clock: Clock;
  /** undefined: all of them, those to come included; state and export then speak of the dependency's own. */
  readonly #key: string | undefined;

  constructor(name: string, registry: BreakerRegistry | undefined, clock: Clock, key: string | undefined) {
    this.#name = name;
    this.#registry = registry;
    this.#clock = clock;
    this.#key = key;
  }

  get state(): BreakerStateName {
    if (this.#registry === undefined) return 'disabled';
    return this.#peek()?.machine.state(this.#clock.now()) ?? 'closed';
  }

  get retryAfterMs(): number {
    return this.#peek()?.machine.retryAfterMs(this.#clock.now()) ?? 0;
  }

  forceOpen(): void {
    const now = this.#clock.now();
    this.#act(({ machine }) => machine.forceOpen(now), true);
  }

  forceClose(): void {
    const now = this.#clock.now();
    this.#act(({ machine }) => machine.forceClose(now), false);
  }

  disable(): void {
    const now = this.#clock.now();
    this.#act(({ machine }) => machine.disable(now), true);
  }

  observeOnly(): void {
    this.#act((handle) => {
      handle.mode = 'observe';
    }, true);
  }

  reset(): void {
    const now = this.#clock.now();
    const { mode } = this.#required().options;
    this.#act((handle) => {
      handle.machine.reset(now);
      handle.mode = mode;
    }, false);
  }

  export(): SavedBreaker {
    return this.#made().machine.export(this.#clock.now(), this.#clock.wall());
  }

  restore(saved: SavedBreaker): void {
    this.#made().machine.restore(saved, this.#clock.now(), this.#clock.wall());
  }

  #act(act: (handle: BreakerHandle) => void, lasting: boolean): void {
    const registry = this.#required();
    if (this.#key === undefined) registry.forAll(act, lasting);
    else act(registry.get(this.#key));
  }

  #peek(): BreakerHandle | undefined {
    const registry = this.#registry;
    if (registry === undefined) return undefined;
    if (this.#key !== undefined) return registry.peek(this.#key);
    // of a scoped set, one that is not closed speaks for all
    const now = this.#clock.now();
    let first: BreakerHandle | undefined;
    for (const handle of registry.all()) {
      first ??= handle;
      if (handle.machine.state(now) !== 'closed') return handle;
    }
    return first;
  }

  #made(): BreakerHandle {
    const registry = this.#required();
    return registry.get(this.#key ?? this.#name);
  }

  #required(): BreakerRegistry {
    if (this.#registry !== undefined) return this.#registry;
    throw spillwayError(
      'ERR_CONFIG',
      `dependencies.${this.#name}.breaker is false: there is no breaker to control; give it options`,
    );
  }
}
