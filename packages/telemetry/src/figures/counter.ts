import type { Dim } from './dims.js';
import { cellsOf, type Labels, labelsAt, type Sample } from './sample.js';

/** Counters of at most so many cells are there from the start: the first increase of a series is one that `rate` sees. */
const SHOWN_AT_ZERO = 6;

/** The series of one counter, as numbers in an array: to count costs an addition. */
export class Counter {
  readonly dims: readonly Dim[];
  readonly #radix1: number;
  readonly #radix2: number;
  readonly #radix3: number;
  readonly #showsZeros: boolean;
  #cells: Float64Array;

  constructor(dims: readonly Dim[]) {
    this.dims = dims;
    this.#radix1 = dims[1]?.radix ?? 1;
    this.#radix2 = dims[2]?.radix ?? 1;
    this.#radix3 = dims[3]?.radix ?? 1;
    const closed = dims.filter(({ label }) => label.values !== undefined);
    this.#showsZeros = closed.reduce((cells, { radix }) => cells * radix, 1) <= SHOWN_AT_ZERO;
    this.#cells = new Float64Array(cellsOf(dims));
  }

  /** Counts `amount` under the numbers of its labels, in the order of the instrument table. */
  add(a = 0, b = 0, c = 0, d = 0, amount = 1): void {
    const cell = ((a * this.#radix1 + b) * this.#radix2 + c) * this.#radix3 + d;
    if (cell >= this.#cells.length) this.#grow(cell);
    this.#cells[cell] = (this.#cells[cell] ?? 0) + amount;
  }

  /** Forgets all cells whose first label has this number. */
  clear(a: number): void {
    const width = this.#radix1 * this.#radix2 * this.#radix3;
    this.#cells.fill(0, a * width, (a + 1) * width);
  }

  reset(): void {
    this.#cells.fill(0);
  }

  read(base: Labels, into: Sample[]): void {
    const cells = Math.max(this.#cells.length, cellsOf(this.dims));
    const width = this.#radix1 * this.#radix2 * this.#radix3;
    for (let cell = 0; cell < cells; cell++) {
      const value = this.#cells[cell] ?? 0;
      if (value === 0 && !(this.#showsZeros && this.#isNamed(Math.floor(cell / width)))) continue;
      const labels = labelsAt(this.dims, cell, base);
      if (labels !== undefined) into.push({ labels, value });
    }
  }

  /** The one that stands for all others shows up when it is needed. */
  #isNamed(first: number): boolean {
    const dim = this.dims[0];
    if (dim === undefined || dim.label.values !== undefined) return true;
    return first > 0 && first < dim.size;
  }

  #grow(cell: number): void {
    const width = this.#radix1 * this.#radix2 * this.#radix3;
    const cells = new Float64Array(Math.ceil((cell + 1) / width) * width);
    cells.set(this.#cells);
    this.#cells = cells;
  }
}
