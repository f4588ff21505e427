export interface Listeners {
  /** How many the signal has now. */
  readonly count: number;
}

/** Counts the listeners on a signal, from now on. */
export function countListeners(signal: AbortSignal): Listeners {
  const { addEventListener, removeEventListener } = signal;
  const live = new Set<unknown>();
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    live.add(args[1]);
    return addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    live.delete(args[1]);
    return removeEventListener.apply(signal, args);
  };
  addEventListener.call(signal, 'abort', () => live.clear());
  return {
    get count() {
      return live.size;
    },
  };
}
