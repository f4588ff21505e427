/** First come, first served; joining and leaving anywhere take one step. */
export class Fifo<T> {
  readonly #items: Set<T> = new Set();

  get size(): number {
    return this.#items.size;
  }

  add(item: T): void {
    this.#items.add(item);
  }

  remove(item: T): void {
    this.#items.delete(item);
  }

  shift(): T | undefined {
    for (const item of this.#items) {
      this.#items.delete(item);
      return item;
    }
    return undefined;
  }
}
