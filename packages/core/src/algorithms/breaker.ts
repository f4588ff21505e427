import type { BreakerStateName } from '../telemetry/events.js';
import type { Random } from '../time/random.js';
import type { BreakerMachineOptions, BreakerResult, OnTransition } from './breaker-options.js';
import { FailureRun } from './failure-run.js';
import { OpenTime } from './open-time.js';
import { type Conclusion, Probation, type Verdict } from './probation.js';
import { readSavedBreaker, type SavedBreaker } from './saved-breaker.js';
import { TripRule } from './trip-rule.js';
import { type OutcomeWindow, outcomeWindow, type Tally } from './windows.js';

export type { BreakerMachineOptions, BreakerResult, OnTransition } from './breaker-options.js';
export type { SavedBreaker } from './saved-breaker.js';

/** Where a verdict on the probes leads. */
const AFTER: Readonly<Record<Verdict, 'closed' | 'open'>> = { good: 'closed', bad: 'open' };

/**
 * The circuit breaker as a state machine: pure, `now` is an argument, nothing runs by itself. Every state has a
 * generation, and results count only in the generation that admitted them. The open state ends lazily, when the next
 * call asks; whoever only reads sees what that call would find, and changes nothing (C-007, C-022).
 */
export class BreakerMachine {
  readonly #span: BreakerMachineOptions['window'];
  readonly #onTransition: OnTransition | undefined;
  readonly #window: OutcomeWindow;
  readonly #operations: OutcomeWindow | undefined;
  readonly #run: FailureRun | undefined;
  readonly #probation: Probation;
  readonly #openTime: OpenTime;
  readonly #rule: TripRule;
  #state: BreakerStateName = 'closed';
  #generation = 1;
  #enteredAt = 0;
  #openedAt: number | undefined;
  #openUntil = 0;
  /** Results recorded since it closed. */
  #recorded = 0;
  /** NaN before the first success: a field of nothing but numbers is written in place. */
  #meanSuccessMs = Number.NaN;

  constructor(options: BreakerMachineOptions, random: Random, onTransition?: OnTransition) {
    const { window, consecutive, probes, leaseMs } = options;
    this.#span = window;
    this.#onTransition = onTransition;
    this.#window = outcomeWindow(window);
    this.#operations = options.operationsWindow ? outcomeWindow(window) : undefined;
    const runMs = 'ms' in window ? window.ms : Number.POSITIVE_INFINITY;
    this.#run = consecutive === undefined ? undefined : new FailureRun(consecutive, runMs);
    this.#probation = new Probation(probes, leaseMs);
    this.#openTime = new OpenTime(options, random);
    this.#rule = new TripRule(options);
  }

  /** Does every call pass, with nothing to ask? */
  get isClosed(): boolean {
    return this.#state === 'closed' || this.#state === 'disabled';
  }

  /** Grows with every transition. */
  get generation(): number {
    return this.#generation;
  }

  /** When it last opened; undefined if it never has. */
  get openedAt(): number | undefined {
    return this.#openedAt;
  }

  /** Mean duration of the window's successes; with none in it, what it last was. */
  get meanSuccessMs(): number | undefined {
    return Number.isNaN(this.#meanSuccessMs) ? undefined : this.#meanSuccessMs;
  }

  /**
   * Asks to let a call pass. The ticket is 0 for a refusal, positive for an ordinary call, negative for a probe;
   * every ticket but 0 is handed to `record` in the end.
   */
  admit(now: number): number {
    return this.isClosed ? this.#generation : this.#admitProbe(now);
  }

  isProbe(ticket: number): boolean {
    return ticket < 0;
  }

  /** Ends what `admit` let pass. Counts once, and only in the generation of the ticket; `ignored` and 0 change nothing. */
  record(ticket: number, result: BreakerResult, durationMs: number, now: number): void {
    if (ticket < 0) this.#settleProbe(-ticket, result, durationMs, now);
    else if (this.#isCurrent(ticket) && result !== 'ignored') this.#recordCall(result, durationMs, now);
  }

  /** The generation for `recordOperation`; 0 unless closed. Admits nothing: attempts are admitted one by one. */
  admitOperation(_now: number): number {
    return this.#state === 'closed' ? this.#generation : 0;
  }

  /** Records a whole operation in its own window, if the generation it started in still lasts. */
  recordOperation(generation: number, result: BreakerResult, durationMs: number, now: number): void {
    if (this.#operations === undefined || result === 'ignored' || !this.#isCurrent(generation)) return;
    this.#operations.record(now, result === 'failure', this.#rule.isSlow(durationMs), durationMs);
    if (this.#rule.isOver(this.#operations.tally(now))) this.#trip(now);
  }

  /** The state a call would find at `now`: an open time that is over reads `half-open`. */
  state(now: number): BreakerStateName {
    const end = this.#foresee(now);
    if (end?.verdict === 'good') return 'closed';
    const state = end === undefined ? this.#state : 'open';
    return state === 'open' && now >= this.#openUntilAt(end) ? 'half-open' : state;
  }

  /** Would the next admitted call be a probe? */
  wouldProbe(now: number): boolean {
    if (this.state(now) !== 'half-open') return false;
    return this.#state === 'open' || this.#foresee(now) !== undefined || this.#probation.hasPlace;
  }

  /** Would the next call be refused? */
  refusesNow(now: number): boolean {
    const state = this.state(now);
    return state === 'open' || state === 'forced-open' || (state === 'half-open' && !this.wouldProbe(now));
  }

  /** Has a probe's place stood free for a whole `openForMs` with no call taking it? */
  starved(now: number): boolean {
    return this.starvesInMs(now) <= 0;
  }

  /** Milliseconds until then; Infinity while no place is free. */
  starvesInMs(now: number): number {
    if (!this.wouldProbe(now)) return Number.POSITIVE_INFINITY;
    const end = this.#foresee(now);
    const isOver = this.#state === 'open' || end !== undefined;
    return this.#openTime.openForMs - (now - (isOver ? this.#openUntilAt(end) : this.#probation.idleSince));
  }

  /** Milliseconds until a call may pass; 0 when one may now. An estimate while half-open or forced open. */
  retryAfterMs(now: number): number {
    if (!this.refusesNow(now)) return 0;
    if (this.#state === 'forced-open') return this.#openTime.openForMs;
    const end = this.#foresee(now);
    if (this.#state === 'open' || end !== undefined) return this.#openUntilAt(end) - now;
    return Math.min(this.#openTime.openForMs, this.#probation.nextLapse(now) - now);
  }

  /** What its window holds; empty unless closed. The object is good until the next call. */
  tally(now: number): Tally {
    return this.#window.tally(now);
  }

  /** The same of the window of operations; undefined when it keeps none. */
  operationTally(now: number): Tally | undefined {
    return this.#operations?.tally(now);
  }

  /** Refuses everything until `forceClose`, `disable` or `reset`. */
  forceOpen(now: number): void {
    this.#force('forced-open', now);
  }

  /** Closes with empty windows and goes on judging. */
  forceClose(now: number): void {
    this.#force('closed', now);
  }

  /** Lets everything pass and records nothing until `forceClose`, `forceOpen` or `reset`. */
  disable(now: number): void {
    this.#force('disabled', now);
  }

  /** As new. */
  reset(now: number): void {
    this.#catchUp(now);
    this.#openTime.openings = 0;
    this.#openedAt = undefined;
    this.#meanSuccessMs = Number.NaN;
    this.#enter('closed', now);
  }

  /** A copy for a store, as JSON: what a call would find at `now`. Changes nothing. */
  export(now: number, wall: number): SavedBreaker {
    const end = this.#foresee(now);
    const state = end === undefined ? this.#state : AFTER[end.verdict];
    const since = wall + (end?.at ?? this.#enteredAt) - now;
    const openUntil = state === 'open' ? wall + this.#openUntilAt(end) - now : null;
    const openings = this.#openTime.openings + (end?.verdict === 'bad' ? 1 : 0);
    return { version: 1, state, since, openUntil, openings };
  }

  /**
   * Goes on from what `export` saved, in this process or another one. A restored open or half-open breaker admits
   * probes like any other (C-005).
   * @throws ERR_CONFIG when `saved` is no snapshot
   */
  restore(saved: SavedBreaker, now: number, wall: number): void {
    const { state, since, openUntil, openings } = readSavedBreaker(saved);
    const leftMs = Math.min(this.#openTime.maxOpenForMs, Math.max(0, (openUntil ?? wall) - wall));
    this.#openTime.openings = openings;
    this.#openUntil = now + leftMs;
    this.#enter(state, now, state === 'open' ? leftMs : undefined, now - Math.max(0, wall - since));
  }

  #admitProbe(now: number): number {
    this.#catchUp(now);
    if (this.#state === 'open' && now >= this.#openUntil) this.#enter('half-open', now);
    if (this.#state === 'closed') return this.#generation;
    if (this.#state !== 'half-open' || !this.#probation.hasPlace) return 0;
    return -this.#probation.admit(now);
  }

  #settleProbe(serial: number, result: BreakerResult, durationMs: number, now: number): void {
    this.#catchUp(now);
    if (this.#state !== 'half-open') return;
    const isBad = result === 'failure' || this.#rule.isSlow(durationMs);
    const verdict = this.#probation.settle(
      serial,
      result === 'ignored' ? result : isBad ? 'bad' : 'good',
      now,
    );
    if (verdict !== undefined) this.#conclude(verdict, now);
  }

  #recordCall(result: 'success' | 'failure', durationMs: number, now: number): void {
    const failed = result === 'failure';
    const tally = this.#window.record(now, failed, this.#rule.isSlow(durationMs), durationMs);
    if (tally.successes > 0) this.#meanSuccessMs = tally.successMs / tally.successes;
    if (this.#endsRun(failed, now) || this.#rule.isOver(tally)) this.#trip(now);
    else this.#recorded++;
  }

  #endsRun(failed: boolean, now: number): boolean {
    if (failed) return this.#run?.fail(now) === true;
    this.#run?.clear();
    return false;
  }

  #isCurrent(generation: number): boolean {
    return generation === this.#generation && this.#state === 'closed';
  }

  #trip(now: number): void {
    if (this.#wasClosedForAFullWindow(now)) this.#openTime.openings = 0;
    this.#openTime.draw();
    this.#open(now);
  }

  #wasClosedForAFullWindow(now: number): boolean {
    const span = this.#span;
    return 'ms' in span ? now - this.#enteredAt >= span.ms : this.#recorded >= span.calls;
  }

  #open(at: number): void {
    const openMs = this.#openTime.nextMs;
    this.#openTime.openings++;
    this.#openUntil = at + openMs;
    this.#enter('open', at, openMs);
  }

  #force(to: BreakerStateName, now: number): void {
    this.#catchUp(now);
    this.#enter(to, now);
  }

  /** @param since when it began, if that was before `now` */
  #enter(to: BreakerStateName, now: number, openMs?: number, since: number = now): void {
    const from = this.#state;
    this.#state = to;
    this.#generation++;
    this.#enteredAt = since;
    if (to === 'open' || to === 'forced-open') this.#openedAt = since;
    this.#recorded = 0;
    this.#window.clear();
    this.#operations?.clear();
    this.#run?.clear();
    if (to === 'half-open') {
      this.#probation.begin(now);
      this.#openTime.draw();
    }
    if (from !== to) this.#onTransition?.(from, to, now, openMs);
  }

  #conclude(verdict: Verdict, at: number): void {
    if (AFTER[verdict] === 'closed') this.#enter('closed', at);
    else this.#open(at);
  }

  /** Does what lapsed leases have led to, as of the instant at which they did. */
  #catchUp(now: number): void {
    if (this.#state !== 'half-open') return;
    const end = this.#probation.lapse(now);
    if (end !== undefined) this.#conclude(end.verdict, end.at);
  }

  #foresee(now: number): Conclusion | undefined {
    return this.#state === 'half-open' ? this.#probation.foresee(now) : undefined;
  }

  #openUntilAt(end: Conclusion | undefined): number {
    return end === undefined ? this.#openUntil : end.at + this.#openTime.nextMs;
  }
}
