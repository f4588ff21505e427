/** What stands in a `Queue`: it carries the links itself, so that queueing allocates nothing. All start undefined. */
export interface QueueNode<N> {
  prevWaiter: N | undefined;
  nextWaiter: N | undefined;
  /** The queue it stands in, `undefined` while in none. */
  queue: unknown;
}

/** A doubly linked queue of nodes that carry their own links; every operation is O(1). */
export class Queue<N extends QueueNode<N>> {
  #head: N | undefined;
  #tail: N | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get head(): N | undefined {
    return this.#head;
  }

  get tail(): N | undefined {
    return this.#tail;
  }

  /** Puts `node` last. It must stand in no queue. */
  pushTail(node: N): void {
    node.queue = this;
    node.prevWaiter = this.#tail;
    node.nextWaiter = undefined;
    if (this.#tail === undefined) this.#head = node;
    else this.#tail.nextWaiter = node;
    this.#tail = node;
    this.#length++;
  }

  /** Puts `node` first. It must stand in no queue. */
  pushHead(node: N): void {
    node.queue = this;
    node.prevWaiter = undefined;
    node.nextWaiter = this.#head;
    if (this.#head === undefined) this.#tail = node;
    else this.#head.prevWaiter = node;
    this.#head = node;
    this.#length++;
  }

  /** Takes the first out. */
  shift(): N | undefined {
    const node = this.#head;
    if (node !== undefined) this.remove(node);
    return node;
  }

  /** Takes the last out. */
  pop(): N | undefined {
    const node = this.#tail;
    if (node !== undefined) this.remove(node);
    return node;
  }

  /** Takes `node` out from wherever it stands; false when it does not stand in this queue. */
  remove(node: N): boolean {
    if (node.queue !== this) return false;
    if (node.prevWaiter === undefined) this.#head = node.nextWaiter;
    else node.prevWaiter.nextWaiter = node.nextWaiter;
    if (node.nextWaiter === undefined) this.#tail = node.prevWaiter;
    else node.nextWaiter.prevWaiter = node.prevWaiter;
    node.prevWaiter = undefined;
    node.nextWaiter = undefined;
    node.queue = undefined;
    this.#length--;
    return true;
  }
}
