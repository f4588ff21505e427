import type { Timer } from '@spillway/core';

/**
 * Armed timers, earliest due first, of one instant by their `order`. Four children a node, and a timer's place is
 * its `home`, so arming and disarming allocate nothing.
 */
export class TimerHeap {
  readonly #timers: Timer[] = [];

  get size(): number {
    return this.#timers.length;
  }

  get first(): Timer | undefined {
    return this.#timers[0];
  }

  add(timer: Timer): void {
    const at = this.#timers.length;
    this.#timers.push(timer);
    this.#rise(timer, at);
  }

  remove(timer: Timer): void {
    const at = timer.home;
    if (typeof at !== 'number' || this.#timers[at] !== timer) return;
    timer.home = undefined;
    const last = this.#timers.pop();
    if (last === undefined || last === timer) return;
    const parent = at === 0 ? undefined : this.#timers[(at - 1) >> 2];
    if (parent !== undefined && isBefore(last, parent)) this.#rise(last, at);
    else this.#sink(last, at);
  }

  #rise(timer: Timer, from: number): void {
    let at = from;
    while (at > 0) {
      const up = (at - 1) >> 2;
      const parent = this.#timers[up] as Timer;
      if (!isBefore(timer, parent)) break;
      this.#put(parent, at);
      at = up;
    }
    this.#put(timer, at);
  }

  #sink(timer: Timer, from: number): void {
    let at = from;
    for (let child = this.#earliestChild(at); child >= 0; child = this.#earliestChild(at)) {
      const below = this.#timers[child] as Timer;
      if (!isBefore(below, timer)) break;
      this.#put(below, at);
      at = child;
    }
    this.#put(timer, at);
  }

  #earliestChild(at: number): number {
    const first = 4 * at + 1;
    const end = Math.min(first + 4, this.#timers.length);
    if (first >= end) return -1;
    let best = first;
    for (let i = first + 1; i < end; i++) {
      if (isBefore(this.#timers[i] as Timer, this.#timers[best] as Timer)) best = i;
    }
    return best;
  }

  #put(timer: Timer, at: number): void {
    this.#timers[at] = timer;
    timer.home = at;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
