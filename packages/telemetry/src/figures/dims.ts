import { type Label, OVERFLOW } from '@spillway/core/instruments';

/** A label as accumulators use it: a number for each value. */
export interface Dim {
  readonly label: Label;
  /** Numbers are below this. */
  readonly radix: number;
  /** Numbers given out so far are below this. */
  readonly size: number;
  /** @throws RangeError for a value that a closed label does not have */
  index(value: string): number;
  /** The value of a number; undefined while it is not shown. */
  text(index: number): string | undefined;
}

/** A label whose values are all known. */
export class ClosedDim implements Dim {
  readonly label: Label;
  readonly radix: number;
  readonly size: number;
  readonly #values: readonly string[];
  readonly #numbers: ReadonlyMap<string, number>;
  // mostly the same again: to compare is quicker than to look up
  #last: string | undefined;
  #lastIndex = 0;

  constructor(label: Label, values: readonly string[]) {
    this.label = label;
    this.#values = values;
    this.radix = values.length;
    this.size = values.length;
    this.#numbers = new Map(values.map((value, index) => [value, index]));
  }

  index(value: string): number {
    if (value === this.#last) return this.#lastIndex;
    const index = this.#numbers.get(value);
    if (index === undefined) throw new RangeError(`no value ${value} of the label ${this.label.name}`);
    this.#last = value;
    this.#lastIndex = index;
    return index;
  }

  text(index: number): string | undefined {
    return this.#values[index];
  }
}

/** A label whose values users name: the first `limit` of them are told apart, the others are one (C-086). */
export class OpenDim implements Dim {
  readonly label: Label;
  readonly radix: number;
  readonly #limit: number;
  readonly #folded: () => void;
  readonly #names: string[] = [OVERFLOW];
  readonly #numbers = new Map<string, number>([[OVERFLOW, 0]]);
  #last = OVERFLOW;
  #lastIndex = 0;

  /** @param folded called each time a value beyond the limit is met */
  constructor(label: Label, limit: number, folded: () => void) {
    this.label = label;
    this.#limit = limit;
    this.radix = limit + 1;
    this.#folded = folded;
  }

  get size(): number {
    return this.#names.length;
  }

  index(value: string): number {
    if (value === this.#last) return this.#lastIndex;
    const index = this.#numbers.get(value) ?? this.#name(value);
    if (index === 0 && value !== OVERFLOW) return 0;
    this.#last = value;
    this.#lastIndex = index;
    return index;
  }

  text(index: number): string | undefined {
    return this.#names[index];
  }

  #name(value: string): number {
    const index = this.#names.length;
    if (index > this.#limit) {
      this.#folded();
      return 0;
    }
    this.#names.push(value);
    this.#numbers.set(value, index);
    return index;
  }
}
