import type { Codel } from '../algorithms/limits/codel.js';
import { Partitions } from '../algorithms/limits/partitions.js';
import type { PermitEnd } from '../algorithms/permit.js';
import type { ResolvedInbound } from '../config/resolved.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import type { Ceiling } from './ceiling.js';
import { byName, type GateSnapshot, RefusalCount } from './gate-snapshot.js';
import type { Guest, RefusalReason } from './guest.js';
import { Insiders } from './insiders.js';
import { ceilingOf } from './make-ceiling.js';
import { codelOf } from './queue-codel.js';
import { CRITICALITIES } from './request-facts.js';
import { spreadRetryAfter } from './retry-after.js';
import { Traffic } from './traffic.js';
import type { EventLoop } from './turn-sampler.js';
import { WaitingRoom } from './waiting-room.js';

export type GateOptions = NonNullable<ResolvedInbound['concurrency']>;

export interface GateRuntime {
  readonly clock: Clock;
  readonly random: Random;
  readonly loop: EventLoop;
}

/** What becomes of a newcomer. */
export type Verdict = 'admitted' | 'queued' | 'refused';

/** No more than so many are put off for a moment; for each one more the first of them comes in. */
const MOST_POSTPONED = 20;
/** In place of the instant since when they wait. */
const PUT_OFF = Number.POSITIVE_INFINITY;

/**
 * The concurrency gate in front of the handlers. Admits while its ceiling allows, lets the rest wait in a bounded
 * queue, and refuses what is over: the less critical first. Every guest that was let in leaves exactly once.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #rt: GateRuntime;
  readonly #crowd = { total: 0, ranks: CRITICALITIES.map(() => 0) };
  readonly #ceiling: Ceiling;
  readonly #room: WaitingRoom;
  readonly #insiders = new Insiders();
  #sweepsSoon = false;
  readonly #codel: Codel | undefined;
  readonly #shares: Partitions | undefined;
  readonly #traffic = new Traffic();
  readonly #refusals = new RefusalCount();
  #admitted = 0;

  constructor(options: GateOptions, rt: GateRuntime) {
    const { limit, queue, shares } = options;
    this.#options = options;
    this.#rt = rt;
    this.#room = new WaitingRoom(queue.size, queue.order);
    if (Object.keys(shares).length > 0) this.#shares = new Partitions(shares);
    this.#codel = codelOf(queue, rt.clock.now());
    this.#ceiling = ceilingOf(limit, rt.random, {
      ...rt,
      crowd: this.#crowd,
      waiting: () => this.#room.waiting,
      relaxed: () => this.#letIn(),
    });
  }

  /**
   * Asks to be let in. `queued`: `onAdmitted` or `onRefused` of the guest will follow, unless it withdraws.
   * `refused`: its `onRefused` has been called.
   */
  enter(guest: Guest, now: number): Verdict {
    this.#ceiling.arrived(guest, now);
    // the moment of those put off may be over, and nobody has looked since
    this.#letIn();
    if (this.#postpones(guest, now)) {
      this.#putOff(guest, now);
      return 'queued';
    }
    if (this.#isOpenFor(guest, now)) {
      this.#admit(guest, now);
      return 'admitted';
    }
    if (this.#options.mode === 'observe') return this.#pardon(guest, now);
    const reason = this.#seat(guest, now);
    if (reason === undefined) return 'queued';
    this.#turnAway(guest, reason, now);
    return 'refused';
  }

  /** Do guests wait for places? Then the gate wants to hear when the headers of an answer are out. */
  get hasQueue(): boolean {
    return this.#room.size > 0;
  }

  /** The headers of an answer are out: its place may be free for somebody who waits. */
  answering(): void {
    if (this.#room.waiting === 0 || this.#sweepsSoon) return;
    this.#sweepsSoon = true;
    this.#rt.loop.onNextTurn(() => {
      this.#sweepsSoon = false;
      this.#sweep(this.#rt.clock.now());
    });
  }

  eachInside(visit: (guest: Guest) => void): void {
    this.#insiders.each(visit);
  }

  /** Ends a guest's stay, however many events report it. */
  leave(guest: Guest, end: PermitEnd, now: number): void {
    if (guest.place !== 'inside') return;
    guest.place = 'left';
    this.#insiders.remove(guest);
    this.#ceiling.left(guest.pardoned ? 'ignored' : end, now - guest.since, now);
    this.#crowd.total--;
    this.#add(guest.rank, -1);
    if (this.#room.waiting === 0) {
      this.#traffic.idle();
      return;
    }
    this.#traffic.left(now);
    this.#letIn();
  }

  /** The waiting guest goes away by itself; nothing more is heard of it. */
  withdraw(guest: Guest): void {
    if (this.#room.remove(guest)) this.#sendOff(guest);
  }

  /** The waiting guest's time is up. */
  waitedTooLong(guest: Guest, now: number): void {
    if (!this.#room.remove(guest)) return;
    this.#turnAway(guest, now >= guest.patience ? 'deadline' : 'queue', now);
  }

  /** Lets in whoever waits, for whatever reason. */
  open(): void {
    const now = this.#rt.clock.now();
    for (let guest = this.#room.shift(); guest !== undefined; guest = this.#room.shift())
      this.#welcome(guest, now);
  }

  /** Empties the queue with refusals. */
  clear(reason: RefusalReason): void {
    const now = this.#rt.clock.now();
    for (let guest = this.#room.shift(); guest !== undefined; guest = this.#room.shift())
      this.#turnAway(guest, reason, now);
  }

  /** Moves a guest to another class, as its route says. */
  reclassify(guest: Guest, rank: number): void {
    if (guest.rank === rank) return;
    if (this.#room.remove(guest)) {
      guest.rank = rank;
      this.#room.add(guest);
      return;
    }
    if (guest.place === 'inside') {
      this.#add(guest.rank, -1);
      this.#add(rank, 1);
    }
    guest.rank = rank;
  }

  snapshot(): GateSnapshot {
    this.#sweep(this.#rt.clock.now());
    return {
      limit: this.#ceiling.limit,
      inFlight: this.#crowd.total,
      queued: this.#room.waiting,
      admitted: this.#admitted,
      refused: { ...this.#refusals.byReason },
      inFlightByPriority: byName(this.#crowd.ranks),
      refusedByPriority: byName(this.#refusals.byRank),
    };
  }

  /** Is it put off for a moment, behind those who are already? */
  #postpones({ rank }: Guest, now: number): boolean {
    if (this.#options.mode === 'observe') return false;
    if (!this.#ceiling.postpones(rank, now, this.#room.ahead(rank))) return false;
    if (this.#room.waiting >= this.#room.size + MOST_POSTPONED) {
      const first = this.#room.shift();
      if (first !== undefined) this.#welcome(first, now);
    }
    return true;
  }

  #isOpenFor({ rank }: Guest, now: number): boolean {
    if (this.#room.ahead(rank) > 0) return this.#isGuaranteed(rank);
    if (this.#admits(rank, now)) return true;
    return this.#sweep(now) && this.#room.ahead(rank) === 0 && this.#admits(rank, now);
  }

  /**
   * Lets streams go, without a sample: how long a client listens is no measure of our work. They are looked for when
   * somebody needs their place: to look at each answer once its turn is over would cost a turn of the event loop.
   * @returns whether there were any
   */
  #sweep(now: number): boolean {
    const streams = this.#insiders.streams(now);
    for (const guest of streams) this.leave(guest, 'ignored', now);
    return streams.length > 0;
  }

  #admits(rank: number, now: number): boolean {
    return this.#ceiling.admits(rank, now) || this.#isGuaranteed(rank);
  }

  #isGuaranteed(rank: number): boolean {
    if (this.#shares === undefined) return false;
    const share = this.#shares.limitOf(CRITICALITIES[rank] ?? '', this.#ceiling.limit);
    return (this.#crowd.ranks[rank] ?? 0) < share;
  }

  #admit(guest: Guest, now: number): void {
    guest.place = 'inside';
    guest.since = now;
    this.#insiders.add(guest);
    this.#admitted++;
    this.#crowd.total++;
    this.#add(guest.rank, 1);
    this.#ceiling.entered(guest.rank);
    this.#traffic.admitted(now);
  }

  #pardon(guest: Guest, now: number): Verdict {
    guest.pardoned = true;
    const retryAfterMs = this.#retryAfterMs(now);
    this.#count(guest, 'limit', now);
    this.#admit(guest, now);
    guest.onPardoned('limit', retryAfterMs);
    return 'admitted';
  }

  /** Finds a place in the queue; otherwise says why there is none. */
  #seat(guest: Guest, now: number): RefusalReason | undefined {
    if (this.#room.size === 0) return 'limit';
    const leftMs = guest.patience - now;
    if (this.#traffic.waitMs(this.#room.ahead(guest.rank) + 1) >= leftMs) return 'deadline';
    if (this.#room.full) {
      const displaced = this.#room.displaced(guest.rank);
      if (displaced === undefined) return 'queue';
      this.#room.remove(displaced);
      this.#turnAway(displaced, 'queue', now);
    }
    guest.since = now;
    this.#keepWaiting(guest, Math.min(this.#options.queue.waitMs, leftMs));
    return undefined;
  }

  /** For a moment, which is none of the waits that a queue is judged by. */
  #putOff(guest: Guest, now: number): void {
    guest.since = PUT_OFF;
    this.#keepWaiting(guest, guest.patience - now);
  }

  #keepWaiting(guest: Guest, ms: number): void {
    guest.place = 'waiting';
    this.#room.add(guest);
    this.#rt.clock.arm(guest, ms);
  }

  /** Lets in whoever waits and may: the most critical first. */
  #letIn(): void {
    if (this.#room.waiting === 0) return;
    const now = this.#rt.clock.now();
    for (let rank = CRITICALITIES.length - 1; rank >= 0; rank--) {
      for (let guest = this.#room.next(rank); guest !== undefined; guest = this.#room.next(rank)) {
        if (!this.#admits(rank, now) || this.#ceiling.postpones(rank, now, this.#room.waiting)) break;
        this.#room.remove(guest);
        if (guest.since !== PUT_OFF && this.#codel?.accepts(now, now - guest.since) === false)
          this.#turnAway(guest, 'codel', now);
        else this.#welcome(guest, now);
      }
    }
  }

  #welcome(guest: Guest, now: number): void {
    this.#rt.clock.disarm(guest);
    this.#admit(guest, now);
    guest.onAdmitted();
  }

  #turnAway(guest: Guest, reason: RefusalReason, now: number): void {
    this.#sendOff(guest);
    this.#count(guest, reason, now);
    guest.onRefused(reason, this.#retryAfterMs(now));
  }

  #sendOff(guest: Guest): void {
    guest.place = 'left';
    this.#rt.clock.disarm(guest);
  }

  #retryAfterMs(now: number): number {
    return spreadRetryAfter(this.#traffic.retryAfterMs(now, this.#room.waiting), this.#rt.random);
  }

  #count(guest: Guest, reason: RefusalReason, now: number): void {
    this.#refusals.add(guest.rank, reason);
    this.#traffic.refused(now);
  }

  #add(rank: number, change: 1 | -1): void {
    this.#crowd.ranks[rank] = (this.#crowd.ranks[rank] ?? 0) + change;
  }
}
