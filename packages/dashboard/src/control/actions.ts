import {
  type Dependency,
  type Fault,
  type InjectedFault,
  isSpillwayError,
  parseDuration,
  spillwayError,
} from '@spillway/core';

export const BREAKER_ACTIONS = ['forceOpen', 'forceClose', 'observeOnly', 'reset'] as const;
export type BreakerAction = (typeof BREAKER_ACTIONS)[number];

/** What the page asks for. */
export interface Order {
  readonly dependency: string;
  readonly action: BreakerAction | 'inject' | 'undo';
  /** Of `inject`. */
  readonly fault?: Fault;
}

export type Result =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 404 | 409; readonly detail: string };

/** A fault that somebody injects from a page and forgets has an end all the same. */
const LONGEST_FAULT_MS = 3_600_000;
const DEFAULT_UNTIL = '5m';

export type FindDependency = (name: string) => Dependency<unknown>;

/** Carries out what a page asked for, and remembers the faults it injected, to undo them. */
export class Actions {
  readonly #find: FindDependency;
  readonly #injected: Map<string, InjectedFault[]> = new Map();

  constructor(find: FindDependency) {
    this.#find = find;
  }

  do(order: unknown): Result {
    const asked = readOrder(order);
    if (asked === undefined) return bad('Give { dependency, action }, and a fault with the action inject');
    try {
      return { ok: true, text: this.#act(this.#find(asked.dependency), asked) };
    } catch (error) {
      if (!isSpillwayError(error)) throw error;
      if (error.code === 'ERR_UNKNOWN_DEPENDENCY') return { ok: false, status: 404, detail: error.message };
      return asked.action === 'inject'
        ? bad(error.message)
        : { ok: false, status: 409, detail: error.message };
    }
  }

  #act(dependency: Dependency<unknown>, { action, fault }: Order): string {
    if (action === 'inject') return this.#inject(dependency, fault ?? {});
    if (action === 'undo') return this.#undo(dependency.name);
    dependency.breaker[action]();
    return WORDS[action];
  }

  #inject(dependency: Dependency<unknown>, { until = DEFAULT_UNTIL, ...fault }: Fault): string {
    const { name } = dependency;
    const lastsMs = parseDuration(until);
    if (lastsMs === undefined || lastsMs > LONGEST_FAULT_MS)
      throw spillwayError(
        'ERR_CONFIG',
        `inject into ${name}: until is ${JSON.stringify(until)}, allowed is a duration up to '1h'`,
      );
    // what JSON cannot carry is no Error, whatever it looks like
    if (fault.error !== undefined && typeof fault.error !== 'string')
      throw spillwayError(
        'ERR_CONFIG',
        `inject into ${name}: error is ${JSON.stringify(fault.error)}, allowed is a code as 'ECONNRESET'`,
      );
    const injected = dependency.inject({ until, ...fault });
    const others = (this.#injected.get(name) ?? []).filter(({ active }) => active);
    this.#injected.set(name, [...others, injected]);
    return 'injected a fault';
  }

  #undo(name: string): string {
    const injected = this.#injected.get(name) ?? [];
    this.#injected.delete(name);
    for (const fault of injected) fault.undo();
    return 'took back the faults injected here';
  }
}

const WORDS: Readonly<Record<BreakerAction, string>> = {
  forceOpen: 'forced the breaker open',
  forceClose: 'closed the breaker',
  observeOnly: 'set the breaker to observe',
  reset: 'reset the breaker',
};

function readOrder(order: unknown): Order | undefined {
  if (typeof order !== 'object' || order === null) return undefined;
  const { dependency, action, fault } = order as Record<string, unknown>;
  if (typeof dependency !== 'string' || typeof action !== 'string') return undefined;
  if (!(ACTIONS as readonly string[]).includes(action)) return undefined;
  if (fault !== undefined && (typeof fault !== 'object' || fault === null)) return undefined;
  // its options are checked by whoever injects it
  return { dependency, action: action as Order['action'], ...(fault === undefined ? {} : { fault }) };
}

const ACTIONS = [...BREAKER_ACTIONS, 'inject', 'undo'] as const;

function bad(detail: string): Result {
  return { ok: false, status: 400, detail };
}
