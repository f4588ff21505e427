/** Told in the same turn in which a call is cancelled, with the reason. */
export interface CancelListener {
  onCancel(reason: unknown): void;
}

/**
 * Who follows which signal. One listener on a signal, however many calls follow it: Node warns of a leak from the
 * eleventh on, and a signal that a whole request shares easily has more calls than that (C-027).
 */
const FOLLOWED = new WeakMap<AbortSignal, Followers>();

class Followers {
  readonly listeners: Set<CancelListener> = new Set();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The signal has aborted. */
  handleEvent(): void {
    const { reason } = this.#signal;
    FOLLOWED.delete(this.#signal);
    for (const listener of this.listeners) listener.onCancel(reason);
  }
}

/** Tells `listener` in the same turn in which `signal` aborts, with its reason; at once when it has already. */
export function followSignal(signal: AbortSignal, listener: CancelListener): void {
  if (signal.aborted) {
    listener.onCancel(signal.reason);
    return;
  }
  let followers = FOLLOWED.get(signal);
  if (followers === undefined) {
    followers = new Followers(signal);
    FOLLOWED.set(signal, followers);
    signal.addEventListener('abort', followers, { once: true });
  }
  followers.listeners.add(listener);
}

/** Takes `listener` off; with the last one gone nothing of ours stays on the signal. */
export function unfollowSignal(signal: AbortSignal, listener: CancelListener): void {
  const followers = FOLLOWED.get(signal);
  if (followers === undefined) return;
  followers.listeners.delete(listener);
  if (followers.listeners.size > 0) return;
  FOLLOWED.delete(signal);
  signal.removeEventListener('abort', followers);
}
