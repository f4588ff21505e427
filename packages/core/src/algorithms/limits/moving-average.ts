/** An exponential average that starts as the plain mean of its first `warmUp` values. */
export class MovingAverage {
  readonly #weight: number;
  readonly #warmUp: number;
  #count = 0;
  #sum = 0;
  #value = 0;

  /** @param length about how many values it remembers */
  constructor(length: number, warmUp: number) {
    this.#weight = 2 / (length + 1);
    this.#warmUp = warmUp;
  }

  /** 0 before the first value. */
  get value(): number {
    return this.#value;
  }

  add(value: number): number {
    if (this.#count < this.#warmUp) {
      this.#count++;
      this.#sum += value;
      this.#value = this.#sum / this.#count;
    } else this.#value = this.#value * (1 - this.#weight) + value * this.#weight;
    return this.#value;
  }

  scale(factor: number): void {
    this.#value *= factor;
  }
}
