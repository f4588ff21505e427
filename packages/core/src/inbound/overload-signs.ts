import type { Turn } from './turn-sampler.js';

/** So many turns that were each fed by a new connection and brought more requests than the one before. */
const RISING_TURNS = 6;
/** So many in a row are enough when they have taken so many times `turn`. */
const QUICKLY_RISING_TURNS = 4;
const QUICKLY_RISING_FOR = 7;
/** So many that were each fed, and took so many times `turn`, are enough whatever each brought. */
const FED_TURNS = 10;
const FED_FOR = 15;
/** So many in a row that were each fed, long or not, without a pause, are enough when they have taken so many times `turn`. */
const UNBROKEN_FED_TURNS = 250;
const UNBROKEN_FED_FOR = 50;
/** What has piled up, in requests of a turn squared: how many had to wait, times how many they waited for. */
const PILED_UP = 2000;
/** The same in lengths of turns, in times `turn` squared: what is over quickly is no pile. */
const PILED_UP_TURNS = 150;
/** It took no less than so many times `turn` to pile up. */
const PILED_UP_FOR = 10;
/** A pile that has gone down by more than this share of its height goes down by itself. */
const STANDING = 0.9;
/** So many times `turn` without one short turn are overload, whatever the requests look like. */
const UNBROKEN = 500;
/**
 * So many requests without a pause, in no less than so many times `turn`, most of which went by in long turns. Of one
 * turn no more than so many count: what a stall has held up comes at once, and leaves no pause for a while either.
 */
const RESTLESS = 400;
const RESTLESS_FOR = 50;
const MOSTLY = 0.6;
const COUNTED = 20;

/**
 * Tells overload from what a healthy server goes through. At 80 % load with arrivals at random, turns are long again
 * and again, ten requests come at once, and the loop has something to do for a quarter of a second without a pause.
 * Collections of garbage make one long turn, and some that are shorter and shorter. What none of these does, but for
 * one server in a dozen in its first seconds, and then for a moment:
 *
 * - turn after turn is fed by a new connection. Node accepts one a turn, so the kernel holds more of them; clients
 *   with connections to spare would have used those. Where each request has a connection of its own no turn need be
 *   long for that: a handler a turn, while the others wait in the kernel;
 * - a pile of requests stands that is higher than chance makes it, and does not go down;
 * - for seconds not one turn is short, or hundreds of requests leave the loop no pause.
 *
 * Counts in requests, not in time, where it can: chance piles up so many requests whatever each of them costs.
 */
export class OverloadSigns {
  readonly #turnMs: number;
  readonly #briefMs: number;
  readonly #feed: Feed;
  readonly #pile: Pile;
  readonly #stretch: Stretch;

  /**
   * @param turnMs turns longer than this are long
   * @param briefMs turns no longer than this are as good as none
   */
  constructor(turnMs: number, briefMs: number) {
    this.#turnMs = turnMs;
    this.#briefMs = briefMs;
    this.#feed = new Feed(turnMs);
    this.#pile = new Pile(turnMs);
    this.#stretch = new Stretch(turnMs);
  }

  /** The loop had nothing to do for a while. */
  paused(): void {
    this.#feed.stopped();
    this.#pile.clear();
    this.#stretch.end();
  }

  /** Is it overload, now that this turn has ended? */
  turned(turn: Turn): boolean {
    const isOverload = this.areSeenWith(turn);
    this.#stretch.add(turn);
    this.#feed.follow(turn);
    if (turn.ownMs > this.#turnMs) {
      this.#feed.add(turn);
      this.#pile.add(turn);
    } else {
      this.#feed.relax(turn, turn.ownMs <= this.#briefMs);
      this.#pile.clear();
    }
    return isOverload;
  }

  /** Would it be overload if `turn`, which is under way, ended like this? Changes nothing. */
  areSeenWith(turn: Turn): boolean {
    if (turn.ownMs <= this.#turnMs) return this.#feed.isUnbrokenWith(turn);
    return this.#feed.isSteadyWith(turn) || this.#pile.standsWith(turn) || this.#stretch.isRestlessWith(turn);
  }
}

/** Do new connections come in turn after turn? */
class Feed {
  readonly #turnMs: number;
  #arrivalsBefore = 0;
  #risingTurns = 0;
  /** Without one in between that was not. */
  #risingInARow = 0;
  #risingInARowMs = 0;
  #fedTurns = 0;
  #fedMs = 0;
  /** Long or not, since the last that was not or the last pause. */
  #unbrokenTurns = 0;
  #unbrokenMs = 0;

  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  isSteadyWith(turn: Turn): boolean {
    if (!turn.isFed) return false;
    const { ownMs } = turn;
    if (this.#fedTurns + 1 >= FED_TURNS && this.#fedMs + ownMs >= FED_FOR * this.#turnMs) return true;
    if (!this.#isRising(turn)) return false;
    if (this.#risingTurns + 1 >= RISING_TURNS) return true;
    const isQuick = this.#risingInARowMs + ownMs >= QUICKLY_RISING_FOR * this.#turnMs;
    return isQuick && this.#risingInARow + 1 >= QUICKLY_RISING_TURNS;
  }

  isUnbrokenWith({ isFed, ownMs }: Turn): boolean {
    if (!isFed || this.#unbrokenTurns + 1 < UNBROKEN_FED_TURNS) return false;
    return this.#unbrokenMs + ownMs >= UNBROKEN_FED_FOR * this.#turnMs;
  }

  /** Any turn. */
  follow({ isFed, ownMs }: Turn): void {
    this.#unbrokenTurns = isFed ? this.#unbrokenTurns + 1 : 0;
    this.#unbrokenMs = isFed ? this.#unbrokenMs + ownMs : 0;
  }

  /** A long turn. */
  add(turn: Turn): void {
    const { ownMs, isFed, arrivals } = turn;
    this.#fedTurns = isFed ? this.#fedTurns + 1 : Math.max(0, this.#fedTurns - 2);
    this.#fedMs += ownMs;
    if (this.#isRising(turn)) {
      this.#risingTurns++;
      this.#risingInARow++;
      this.#risingInARowMs += ownMs;
    } else {
      this.#breakRow();
      // chance may hold it up for a turn
      if (!isFed) this.#risingTurns = Math.max(0, this.#risingTurns - 1);
    }
    this.#arrivalsBefore = arrivals;
  }

  /** A short turn. */
  relax({ arrivals }: Turn, isBrief: boolean): void {
    this.#risingTurns = isBrief ? 0 : Math.max(0, this.#risingTurns - 1);
    this.#breakRow();
    this.#arrivalsBefore = arrivals;
  }

  stopped(): void {
    this.#unbrokenTurns = 0;
    this.#unbrokenMs = 0;
    this.#fedTurns = 0;
    this.#fedMs = 0;
    this.#risingTurns = 0;
    this.#breakRow();
  }

  #breakRow(): void {
    this.#risingInARow = 0;
    this.#risingInARowMs = 0;
  }

  #isRising({ isFed, arrivals }: Turn): boolean {
    return isFed && arrivals > this.#arrivalsBefore;
  }
}

/** What came in long turns since the last short one. */
class Pile {
  readonly #turnMs: number;
  #ms = 0;
  #height = 0;
  #heightMs = 0;
  #most = 0;

  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  /** A single turn is none, however long: what comes after a stall goes down by itself. */
  standsWith({ ownMs, arrivals }: Turn): boolean {
    const ms = this.#ms + ownMs;
    if (this.#ms === 0) return false;
    if (ms >= UNBROKEN * this.#turnMs) return true;
    return (
      ms >= PILED_UP_FOR * this.#turnMs &&
      arrivals >= STANDING * this.#most &&
      this.#height + arrivals ** 2 >= PILED_UP &&
      this.#heightMs + ownMs ** 2 >= PILED_UP_TURNS * this.#turnMs ** 2
    );
  }

  add({ ownMs, arrivals }: Turn): void {
    this.#ms += ownMs;
    this.#height += arrivals ** 2;
    this.#heightMs += ownMs ** 2;
    this.#most = Math.max(this.#most, arrivals);
  }

  clear(): void {
    this.#ms = 0;
    this.#height = 0;
    this.#heightMs = 0;
    this.#most = 0;
  }
}

/** What came since the last pause. */
class Stretch {
  readonly #turnMs: number;
  #requests = 0;
  #ms = 0;
  #longMs = 0;

  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  isRestlessWith({ ownMs, arrivals }: Turn): boolean {
    const ms = this.#ms + ownMs;
    return (
      this.#requests + Math.min(arrivals, COUNTED) >= RESTLESS &&
      ms >= RESTLESS_FOR * this.#turnMs &&
      this.#longMs + ownMs >= MOSTLY * ms
    );
  }

  add({ ownMs, arrivals }: Turn): void {
    this.#requests += Math.min(arrivals, COUNTED);
    this.#ms += ownMs;
    if (ownMs > this.#turnMs) this.#longMs += ownMs;
  }

  end(): void {
    this.#requests = 0;
    this.#ms = 0;
    this.#longMs = 0;
  }
}
