/** The last so many things, oldest first. */
export class Ring<T> {
  readonly #capacity: number;
  readonly #items: T[] = [];
  /** Where the oldest is, once it is full. */
  #start = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#items.length;
  }

  push(item: T): void {
    if (this.#items.length < this.#capacity) {
      this.#items.push(item);
      return;
    }
    this.#items[this.#start] = item;
    this.#start = (this.#start + 1) % this.#capacity;
  }

  /** The last `count`, oldest first. */
  last(count: number): T[] {
    const length = this.#items.length;
    const taken: T[] = [];
    for (let index = Math.max(0, length - count); index < length; index++) {
      taken.push(this.#items[(this.#start + index) % length] as T);
    }
    return taken;
  }

  all(): T[] {
    return this.last(this.#items.length);
  }
}
