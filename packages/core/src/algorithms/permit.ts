/** How permitted work ended: with a result to learn from, with none, or given up under load. */
export type PermitEnd = 'success' | 'ignored' | 'dropped';

/** Leave to do one piece of work. Ends exactly once, however many events report its end (C-035). */
export class Permit {
  #onEnd: ((end: PermitEnd) => void) | undefined;

  constructor(onEnd: (end: PermitEnd) => void) {
    this.#onEnd = onEnd;
  }

  get ended(): boolean {
    return this.#onEnd === undefined;
  }

  /** Ends it; false, and nothing happens, when it has ended already. */
  end(how: PermitEnd): boolean {
    const onEnd = this.#onEnd;
    if (onEnd === undefined) return false;
    this.#onEnd = undefined;
    onEnd(how);
    return true;
  }
}
