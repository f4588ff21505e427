import type { Attempt } from '../call/attempt.js';
import type { FanOut } from '../telemetry/fan-out.js';
import type { Clock } from '../time/clock.js';
import { operationOf } from './operation-call.js';

/** Headers on their way out, by lower-case name. */
export type HeadersOut = Record<string, string | string[] | undefined>;

/** Adds headers to each attempt of a client: what a trace needs to go on at the dependency. */
export interface HeaderHook {
  /** Lower-case names of all it may set: taken off again where a redirect leads away from the dependency. */
  readonly names: readonly string[];
  /** @param id of the operation, as its events name it @param attempt 1-based */
  add(headers: HeadersOut, id: number, attempt: number): void;
}

/** The hooks of a spillway. Clients look at `enabled` first, so that nobody pays for hooks that are not there. */
export class HeaderHooks {
  enabled = false;
  #hooks: readonly HeaderHook[] = [];
  readonly #events: FanOut;
  readonly #clock: Clock;

  constructor(events: FanOut, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
  }

  /** Calls `hook` for every attempt from now on; returns the way to stop. */
  use(hook: HeaderHook): () => void {
    this.#set([...this.#hooks, hook]);
    return () => this.#set(this.#hooks.filter((other) => other !== hook));
  }

  /** Adds to the headers of `attempt`. A hook that throws is counted as an observer that does; the request goes out. */
  add(headers: HeadersOut, attempt: Attempt): void {
    const { id } = operationOf(attempt);
    for (const hook of this.#hooks) {
      try {
        hook.add(headers, id, attempt.number);
      } catch (error) {
        this.#events.observerFailed(error, this.#clock.now());
      }
    }
  }

  drop(headers: HeadersOut): void {
    for (const { names } of this.#hooks) for (const name of names) delete headers[name];
  }

  #set(hooks: readonly HeaderHook[]): void {
    this.#hooks = hooks;
    this.enabled = hooks.length > 0;
  }
}
