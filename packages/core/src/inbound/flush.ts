import type { Turn } from './turn-sampler.js';

/** So many turns in a row that a new connection fed say that the kernel holds more of them. */
const FED_TURNS = 4;
/** So many in a row that none fed say that it does not. */
const UNFED_TURNS = 2;
/** Longest it may last, and how many times as long it then has to wait: new connections may come for ever. */
const LONGEST_MS = 250;
const PAUSES = 1;

/**
 * What an overloaded server does first: it fetches the connections that the kernel has piled up, one a turn, and lets
 * nobody in meanwhile, so that turns are as short as they can be. Otherwise those who waited there for too long go on
 * being served before those who have just come, and nobody is served in time any more.
 */
export class Flush {
  /** Who is not let in: this rank and those below it. */
  rank = -1;
  #beganAt = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #fed = 0;
  #unfed = 0;

  get isOn(): boolean {
    return this.rank >= 0;
  }

  keepsOut(rank: number, now: number): boolean {
    return rank <= this.rank && this.#lasts(now);
  }

  /** Who is above that waits for the moment it takes: each turn that serves somebody fetches but one connection too. */
  postpones(rank: number, now: number): boolean {
    return this.isOn && rank > this.rank && this.#lasts(now);
  }

  begin(rank: number, now: number): void {
    if (now < this.#notBefore) return;
    this.rank = rank;
    this.#beganAt = now;
    this.#unfed = 0;
  }

  /** @returns whether it should begin */
  turned({ isFed }: Turn, now: number): boolean {
    this.#fed = isFed ? this.#fed + 1 : 0;
    this.#unfed = isFed ? 0 : this.#unfed + 1;
    if (!this.isOn) return this.#fed >= FED_TURNS && now >= this.#notBefore;
    const lastedMs = now - this.#beganAt;
    if (this.#unfed >= UNFED_TURNS) this.end();
    else if (lastedMs >= LONGEST_MS) {
      this.end();
      this.#notBefore = now + PAUSES * lastedMs;
    }
    return false;
  }

  end(): void {
    this.rank = -1;
    this.#fed = 0;
  }

  #lasts(now: number): boolean {
    return now - this.#beganAt < LONGEST_MS;
  }
}
