/** The controls of a breaker that `withForcedOpen` uses. */
interface Breaker {
  readonly state: string;
  forceOpen(): void;
  disable(): void;
  reset(): void;
  export(): unknown;
  restore(saved: never): void;
}

/** Anything whose dependencies have a breaker: a spillway, or a request's view of one. */
export interface HasBreakers {
  dependency(name: never): { readonly breaker: Breaker };
}

/** The names that a spillway's `dependency` takes. */
export type DependencyName<S extends HasBreakers> = Parameters<S['dependency']>[0];

interface Hold {
  users: number;
  readonly restore: () => void;
}

const holds = new WeakMap<HasBreakers, Map<string, Hold>>();

/**
 * Runs `run` while the breaker of dependency `name` refuses every call, and puts it back as it was, also when `run`
 * throws. May be nested, and used by several at once: the last to end puts it back. Breakers with a `scope` of their
 * own start closed afterwards.
 *
 * @returns what `run` returns
 * @throws ERR_CONFIG when the dependency has no breaker, ERR_UNKNOWN_DEPENDENCY when there is none of that name
 */
export async function withForcedOpen<S extends HasBreakers, R>(
  spillway: S,
  name: DependencyName<S>,
  run: () => R | Promise<R>,
): Promise<R> {
  const names = holds.get(spillway) ?? new Map<string, Hold>();
  holds.set(spillway, names);
  const hold = names.get(name) ?? take(spillway, name);
  names.set(name, hold);
  hold.users++;
  try {
    return await run();
  } finally {
    hold.users--;
    if (hold.users === 0) {
      names.delete(name);
      hold.restore();
    }
  }
}

function take(spillway: HasBreakers, name: never): Hold {
  const { breaker } = spillway.dependency(name);
  const restore = restorer(breaker);
  breaker.forceOpen();
  return { users: 0, restore };
}

function restorer(breaker: Breaker): () => void {
  const { state } = breaker;
  if (state === 'forced-open') return () => breaker.forceOpen();
  if (state === 'disabled') return () => breaker.disable();
  if (state === 'closed') return () => breaker.reset();
  const saved = breaker.export();
  return () => {
    breaker.reset();
    breaker.restore(saved as never);
  };
}
