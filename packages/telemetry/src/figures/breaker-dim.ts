import { type Label, OVERFLOW } from '@spillway/core/instruments';
import type { Dim } from './dims.js';

/**
 * Keys of breakers. A forgotten breaker is shown no more; its number is kept until somebody needs it, so one that
 * comes back counts on. Keys that may not be shown, and those beyond the limit, are one.
 */
export class BreakerDim implements Dim {
  readonly label: Label;
  readonly radix: number;
  readonly #limit: number;
  readonly #mayShow: (key: string) => boolean;
  readonly #folded: () => void;
  readonly #taken: (index: number) => void;
  readonly #keys: string[] = [OVERFLOW];
  readonly #shown: boolean[] = [true];
  readonly #numbers = new Map<string, number>();
  /** Numbers of forgotten breakers, the longest forgotten first. */
  readonly #forgotten = new Set<number>();

  /** @param taken called when a number changes hands: what was counted under it is not the new one's */
  constructor(
    label: Label,
    limit: number,
    hooks: { mayShow: (key: string) => boolean; folded: () => void; taken: (index: number) => void },
  ) {
    this.label = label;
    this.#limit = limit;
    this.radix = limit + 1;
    this.#mayShow = hooks.mayShow;
    this.#folded = hooks.folded;
    this.#taken = hooks.taken;
  }

  get size(): number {
    return this.#keys.length;
  }

  index(key: string): number {
    const index = this.#find(key);
    if (index === undefined) this.#folded();
    return index ?? 0;
  }

  /** What a key is shown as, now that its breaker is there. */
  shown(key: string): string {
    return this.#keys[this.#find(key) ?? 0] ?? OVERFLOW;
  }

  text(index: number): string | undefined {
    return this.#shown[index] === true ? this.#keys[index] : undefined;
  }

  forget(key: string): void {
    const index = this.#numbers.get(key);
    if (index === undefined || this.#shown[index] !== true) return;
    this.#shown[index] = false;
    this.#forgotten.add(index);
  }

  /** Undefined: there are too many. */
  #find(key: string): number | undefined {
    const known = this.#numbers.get(key);
    if (known === undefined) return this.#mayShow(key) ? this.#number(key) : 0;
    this.#show(known);
    return known;
  }

  #show(index: number): void {
    if (this.#shown[index] === true) return;
    this.#shown[index] = true;
    this.#forgotten.delete(index);
  }

  #number(key: string): number | undefined {
    const index = this.#keys.length <= this.#limit ? this.#keys.length : this.#takeOver();
    if (index === undefined) return undefined;
    this.#keys[index] = key;
    this.#shown[index] = true;
    this.#numbers.set(key, index);
    return index;
  }

  #takeOver(): number | undefined {
    for (const index of this.#forgotten) {
      this.#forgotten.delete(index);
      this.#numbers.delete(this.#keys[index] ?? '');
      this.#taken(index);
      return index;
    }
    return undefined;
  }
}
