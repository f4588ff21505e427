import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PermitEnd } from '../algorithms/permit.js';
import { type SpillwayError, spillwayError } from '../call/errors.js';
import type { RequestCall } from '../call/request-call.js';
import type { Clock, Timer } from '../time/clock.js';
import { Aftermath } from './aftermath.js';
import { answerProblem, dropBodyHeaders } from './answer.js';
import { addCallHeaders, type GivenHeaders } from './answer-headers.js';
import type { CallerDeadline } from './deadline-headers.js';
import type { Gate } from './gate.js';
import { Guest, lessonOf, type RefusalReason } from './guest.js';
import { reportAdmitted, reportDeadline, reportEnd, reportRefused } from './inbound-reports.js';
import type { InboundRuntime, OpenAnswer } from './inbound-runtime.js';
import { type ProblemAnswer, problemOf } from './problem.js';
import { isSafe, rankOf } from './request-facts.js';
import type { Decision, Phase } from './request-phase.js';
import type { RequestWork } from './request-work.js';
import { type ResponseWatcher, watch } from './response-watch.js';
import type { RouteSettings } from './route-settings.js';

/**
 * One inbound request from its arrival to the end of its answer: its work, its place at the gate, and what happens
 * to the response. Whatever ends it, it ends once.
 */
export class InboundRequest extends Guest implements ResponseWatcher, OpenAnswer {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly writeHead: ServerResponse['writeHead'];
  readonly #rt: InboundRuntime;
  readonly #gate: Gate | undefined;
  readonly #work: RequestWork;
  /** Its response had a connection when it came; one of pipelined requests has none yet. */
  readonly #hadSocket: boolean;
  #decision: Decision = 'waiting';
  #onDecided: ((admitted: boolean) => void) | undefined = undefined;
  #phase: Phase = 'open';
  #covers: 'headers' | 'response';
  #onDisconnect: 'cancel' | 'finish' | undefined;
  #answered = false;
  #handled = false;
  #cut = false;
  /** There once somebody else than the handler answers, or may. */
  #aftermath: Aftermath | undefined = undefined;
  #standby: Timer | undefined = undefined;

  constructor(rt: InboundRuntime, req: IncomingMessage, res: ServerResponse, work: RequestWork) {
    super();
    const { deadline, onDisconnect } = rt.options;
    this.req = req;
    this.res = res;
    this.writeHead = res.writeHead;
    this.#rt = rt;
    this.#gate = rt.gate;
    this.#work = work;
    this.#hadSocket = res.socket !== null;
    this.#covers = deadline.covers;
    this.#onDisconnect = onDisconnect;
  }

  get decision(): Decision {
    return this.#decision;
  }

  get clock(): Clock {
    return this.#rt.clock;
  }

  /** What the caller's deadline headers said. */
  get asked(): CallerDeadline {
    return this.#work.asked;
  }

  /** By this instant 504 is answered; Infinity when neither the caller nor the route asked for it. */
  get answerBy(): number {
    return this.#work.bounds.answerBy;
  }

  /** By this instant the work for it is over; Infinity: unbounded. */
  get workUntil(): number {
    return this.#work.workUntil;
  }

  get patience(): number {
    return this.#work.bounds.workUntil;
  }

  /** Its work as a call: operations made for it are children of this one. Made when first asked for. */
  get call(): RequestCall {
    return this.#work.call(this.rank);
  }

  /** Nothing has been answered, and the client is still there. */
  get answerable(): boolean {
    return this.#phase === 'open';
  }

  /** It has been answered in the handler's place: what the handler still does comes too late. */
  get answeredForHandler(): boolean {
    return this.#answered || (this.#aftermath !== undefined && this.res.writableEnded);
  }

  /** Milliseconds left for work; never negative. */
  remainingMs(): number {
    return Math.max(0, this.#work.workUntil - this.#rt.clock.now());
  }

  /** Goes to the gate, or past it. */
  knock(isExempt: boolean): void {
    if (this.#gate === undefined || isExempt) this.place = 'left';
    else if (this.#gate.enter(this, this.#work.arrivedAt) === 'refused') return;
    watch(this.res, this);
    if (this.place !== 'waiting') this.onAdmitted();
  }

  /** Calls back once it is decided whether it is let in; for requests that wait. */
  whenDecided(then: (admitted: boolean) => void): void {
    this.#onDecided = then;
  }

  onAdmitted(): void {
    this.#decision = 'admitted';
    this.#armDeadline();
    reportAdmitted(this.#rt, this.rank, this.asked.source, this.#work.bounds.workUntil);
    this.#onDecided?.(true);
  }

  onRefused(reason: RefusalReason, retryAfterMs: number): void {
    reportRefused(this.#rt, this.rank, reason, retryAfterMs, false);
    this.turnDown(this.#rt.refusals.of(reason === 'draining', retryAfterMs));
  }

  onPardoned(reason: RefusalReason, retryAfterMs: number): void {
    reportRefused(this.#rt, this.rank, reason, retryAfterMs, true);
  }

  /** Answers in place of the handler, which never runs. */
  turnDown(problem: ProblemAnswer): void {
    this.#decision = 'refused';
    this.#phase = 'answered';
    this.beforeHeaders(problem.status, undefined);
    answerProblem(this.res, problem, this.writeHead);
    this.#onDecided?.(false);
  }

  /** Applies what its route says, from now on. */
  applyRoute({ deadlineMs, priority, exempt, mode, onDisconnect, covers }: RouteSettings): void {
    if (covers !== undefined) this.#covers = covers;
    if (onDisconnect !== undefined) this.#onDisconnect = onDisconnect;
    if (priority !== undefined) this.#reclassify(rankOf(priority));
    if (exempt) this.#leaveGate('ignored');
    if (deadlineMs === undefined && mode === undefined) return;
    this.#work.rebind(deadlineMs, mode === undefined ? this.#work.observes : mode === 'observe');
    if (this.#phase === 'open' && this.#decision === 'admitted') this.#armDeadline();
  }

  /** The handler's promise has settled. */
  handled(): void {
    this.#handled = true;
    this.#aftermath?.handled();
  }

  /** A handler failed although its request had been answered. */
  failedLate(): void {
    this.#aftermath?.failedLate();
  }

  /** Two may answer from now on: whoever is first does, and the other's answer does no harm. */
  contest(): void {
    if (this.#aftermath !== undefined) return;
    this.#aftermath = new Aftermath(this.#rt, this.res);
    this.#aftermath.guardOnceEnded();
  }

  /** Takes `timer` out as soon as the request is answered or over. */
  standBy(timer: Timer): void {
    this.#standby = timer;
  }

  /** Gives its work `ms` from now, at most until the answer is due: the time of a fallback. */
  extend(ms: number): void {
    this.#work.extend(ms, this.rank);
  }

  override onTimer(): void {
    const now = this.#rt.clock.now();
    if (this.place === 'waiting') this.#gate?.waitedTooLong(this, now);
    else this.#deadlinePassed(now);
  }

  beforeHeaders(status: number, given: GivenHeaders): void {
    if (this.#rt.draining) this.res.setHeader('Connection', 'close');
    const { made } = this.#work;
    if (made !== undefined) addCallHeaders(this.res, status, given, made);
    else if (status >= 429 && this.req.headers['x-request-attempt'] !== undefined) {
      addCallHeaders(this.res, status, given, this.call);
    }
  }

  afterHeaders(): void {
    if (this.#phase !== 'open') return;
    this.#phase = 'started';
    this.#dismiss();
    if (this.#covers === 'response') return;
    this.#rt.clock.disarm(this);
    this.#work.headersSent();
    this.#rt.afterThisTurn(this);
  }

  /** Streams leave the gate once their headers are out: how long a client listens is no measure of our work. */
  onTurnAfterHeaders(): void {
    if (!this.res.writableEnded) this.#leaveGate('ignored');
  }

  onClosed(): void {
    const phase = this.#phase;
    if (phase === 'closed') return;
    this.#phase = 'closed';
    this.#rt.clock.disarm(this);
    this.#dismiss();
    const isSent = this.res.writableFinished;
    this.#aftermath?.closed();
    if (phase !== 'answered') {
      if (this.place === 'waiting') this.#gate?.withdraw(this);
      this.#leaveGate(isSent ? lessonOf(this.res.statusCode) : 'ignored');
      if (!isSent && !this.#cut) this.#clientGone();
    }
    if (this.#decision !== 'refused') this.#reportEnd(isSent);
  }

  #dismiss(): void {
    if (this.#standby !== undefined) this.#rt.clock.disarm(this.#standby);
  }

  #deadlinePassed(now: number): void {
    reportDeadline(this.#rt, now, this.#work.arrivedAt);
    if (this.#work.observes) return;
    const error = spillwayError('ERR_DEADLINE_EXCEEDED', 'The deadline of this request has passed');
    if (this.#phase === 'open') this.#answerInTime(error);
    else if (this.#phase === 'started') {
      // part of the body is out: nothing more can be said, but the client must not take it for the whole (C-063)
      this.#cut = true;
      this.res.destroy();
    }
    this.#work.cancel(error);
  }

  #answerInTime(error: SpillwayError): void {
    const { res } = this;
    // the handler took the connection for itself: there is nothing here to answer on
    if (this.#hadSocket && res.socket === null) {
      this.#leaveGate('ignored');
      return;
    }
    this.#phase = 'answered';
    this.#answered = true;
    this.#dismiss();
    dropBodyHeaders(res);
    const problem = problemOf(error, this.#rt.service);
    this.beforeHeaders(problem.status, undefined);
    answerProblem(res, problem, this.writeHead);
    this.#aftermath ??= new Aftermath(this.#rt, res);
    this.#aftermath.guard();
    if (this.#handled) this.#leaveGate('dropped');
    else this.#aftermath.detach(() => this.#leaveGate('dropped'));
  }

  #clientGone(): void {
    const onDisconnect = this.#onDisconnect ?? (isSafe(this.req.method) ? 'cancel' : 'finish');
    if (onDisconnect === 'cancel') this.#work.cancel(spillwayError('ERR_CANCELLED', 'The client went away'));
  }

  #armDeadline(): void {
    const { clock } = this.#rt;
    const { dueAt } = this.#work.bounds;
    if (dueAt !== Number.POSITIVE_INFINITY) clock.arm(this, dueAt - clock.now());
    else if (this.armed) clock.disarm(this);
  }

  #reclassify(rank: number): void {
    this.#gate?.reclassify(this, rank);
    this.rank = rank;
    this.#work.reclassify(rank);
  }

  #leaveGate(end: PermitEnd): void {
    if (this.place === 'inside') this.#gate?.leave(this, end, this.#rt.clock.now());
  }

  #reportEnd(isSent: boolean): void {
    const outcome = this.#cut ? 'failed' : isSent ? 'answered' : 'aborted';
    const status = isSent || this.res.headersSent ? this.res.statusCode : undefined;
    reportEnd(this.#rt, outcome, status, this.#work.arrivedAt);
  }
}
