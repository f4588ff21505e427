import type { Dim } from './dims.js';
import { cellsOf, type Labels, labelsAt, type Sample } from './sample.js';

/** The series of one histogram. Values come in `scale` per unit: 1000 for ms where the unit is seconds. */
export class Histogram {
  readonly dims: readonly Dim[];
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #scaled: Float64Array;
  readonly #scale: number;
  readonly #width: number;
  /** Per cell: a count for each bound, one for what is above all, and the sum. */
  #cells: Float64Array;

  constructor(name: string, bounds: readonly number[], dims: readonly Dim[], scale: number) {
    this.#name = name;
    this.#bounds = bounds;
    this.dims = dims;
    this.#scale = scale;
    this.#scaled = Float64Array.from(bounds, (bound) => Math.round(bound * scale * 1e6) / 1e6);
    this.#width = bounds.length + 2;
    this.#cells = new Float64Array(cellsOf(dims) * this.#width);
  }

  observe(a: number, value: number): void {
    const bounds = this.#scaled;
    const start = a * this.#width;
    if (start >= this.#cells.length) this.#grow(a);
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    const cells = this.#cells;
    cells[start + bucket] = (cells[start + bucket] ?? 0) + 1;
    const sum = start + bounds.length + 1;
    cells[sum] = (cells[sum] ?? 0) + value;
  }

  reset(): void {
    this.#cells.fill(0);
  }

  read(base: Labels, into: Sample[]): void {
    const cells = this.#cells.length / this.#width;
    for (let cell = 0; cell < cells; cell++) this.#readCell(cell, base, into);
  }

  #readCell(cell: number, base: Labels, into: Sample[]): void {
    const start = cell * this.#width;
    const bounds = this.#bounds;
    let count = 0;
    for (let bucket = 0; bucket <= bounds.length; bucket++) count += this.#cells[start + bucket] ?? 0;
    if (count === 0 && this.dims.length > 0) return;
    const labels = labelsAt(this.dims, cell, base);
    if (labels === undefined) return;
    let below = 0;
    for (const [bucket, bound] of bounds.entries()) {
      below += this.#cells[start + bucket] ?? 0;
      into.push({ labels: { ...labels, le: bound }, value: below, metricName: `${this.#name}_bucket` });
    }
    into.push({ labels: { ...labels, le: '+Inf' }, value: count, metricName: `${this.#name}_bucket` });
    const sum = (this.#cells[start + bounds.length + 1] ?? 0) / this.#scale;
    into.push({ labels, value: sum, metricName: `${this.#name}_sum` });
    into.push({ labels, value: count, metricName: `${this.#name}_count` });
  }

  #grow(cell: number): void {
    const cells = new Float64Array((cell + 1) * this.#width);
    cells.set(this.#cells);
    this.#cells = cells;
  }
}
