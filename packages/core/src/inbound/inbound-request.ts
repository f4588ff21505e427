import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PermitEnd } from '../algorithms/permit.js';
import { type SpillwayError, spillwayError } from '../call/errors.js';
import type { Timer } from '../time/clock.js';
import { Aftermath } from './aftermath.js';
import { answerProblem, dropBodyHeaders } from './answer.js';
import { addCallHeaders, type GivenHeaders } from './answer-headers.js';
import type { CallerDeadline } from './deadline-headers.js';
import type { Gate } from './gate.js';
import { lessonOf, type RefusalReason } from './guest.js';
import { reportAdmitted, reportDeadline, reportEnd, reportRefused } from './inbound-reports.js';
import type { InboundRuntime } from './inbound-runtime.js';
import { plainSocketOf } from './plain-socket.js';
import { type ProblemAnswer, problemOf } from './problem.js';
import { isSafe, rankOf, saysAttempt } from './request-facts.js';
import type { Decision } from './request-phase.js';
import { isGone, wasSent } from './response-end.js';
import { type CloseWatcher, type HeadersWatcher, watchClose, watchHeaders } from './response-watch.js';
import type { RouteSettings } from './route-settings.js';
import { TimedRequest } from './timed-request.js';

/**
 * One inbound request from its arrival to the end of its answer: its work, its place at the gate, and what happens
 * to the response. Whatever ends it, it ends once.
 */
export class InboundRequest extends TimedRequest implements CloseWatcher, HeadersWatcher {
  /** Called when the request is answered in its handler's place. */
  onAnswered: (() => void) | undefined = undefined;
  readonly #gate: Gate | undefined;
  /** What its response had for a connection when it came; one of pipelined requests has none yet. */
  readonly #socket: ServerResponse['socket'];
  /** The same where it is this response's own: it lives on when an answer has been sent, and not when it was cut. */
  readonly #ownSocket: Socket | undefined;
  #decision: Decision = 'waiting';
  #onDecided: ((admitted: boolean) => void) | undefined = undefined;
  #onDisconnect: 'cancel' | 'finish' | undefined;
  /** It hears of its response's headers. */
  #watchesHeaders = false;
  #answered = false;
  #handled = false;
  #cut = false;
  /** There once somebody else than the handler answers, or may. */
  #aftermath: Aftermath | undefined = undefined;
  #standby: Timer | undefined = undefined;

  constructor(
    rt: InboundRuntime,
    req: IncomingMessage,
    res: ServerResponse,
    asked: CallerDeadline,
    arrivedAt: number,
    callerScope: string | undefined,
  ) {
    super(rt, req, res, asked, arrivedAt, callerScope);
    this.#gate = rt.gate;
    this.#socket = res.socket;
    this.#ownSocket = plainSocketOf(res, this.#socket);
    this.#onDisconnect = rt.options.onDisconnect;
  }

  get decision(): Decision {
    return this.#decision;
  }

  override get isFirst(): boolean {
    return this.#socket?.bytesWritten === 0;
  }

  get isStreaming(): boolean {
    if (this.phase === 'open' && this.#isHijacked) return true;
    return this.isStarted && !this.res.writableEnded && this.covers === 'headers';
  }

  /** Its handler has taken the connection for itself: its response tells of no end. */
  get #isHijacked(): boolean {
    return this.#socket !== null && this.res.socket === null;
  }

  /** Its client has gone, or somebody has answered it already, as far as can be told at no cost. */
  get isOver(): boolean {
    if (this.#ownSocket !== undefined) return this.#ownSocket.destroyed;
    return this.res.headersSent || isGone(this.req, this.res, this.#socket);
  }

  /** Nothing has been answered, and the client is still there. */
  get answerable(): boolean {
    return this.phase === 'open' && !this.res.headersSent;
  }

  /** It has been answered in the handler's place: what the handler still does comes too late. */
  get answeredForHandler(): boolean {
    return this.#answered || (this.#aftermath !== undefined && this.res.writableEnded);
  }

  /** Goes to the gate, or past it. */
  knock(isExempt: boolean, saysAttempt: boolean): void {
    if (this.#gate === undefined || isExempt) this.place = 'left';
    else if (this.#gate.enter(this, this.arrivedAt) === 'refused') return;
    watchClose(this.res, this.#socket, this);
    if (this.#gate?.hasQueue === true || saysAttempt) this.watchHeaders();
    if (this.place !== 'waiting') this.#letIn(this.arrivedAt);
  }

  /** Somebody has answered it already, or its client has gone before it was ours: there is nothing left to guard. */
  passBy(): void {
    const isGone = !this.res.headersSent;
    this.place = 'left';
    this.phase = 'closed';
    this.#decision = 'admitted';
    if (isGone) this.#clientGone();
  }

  /** From now on it hears of its response's headers, if they are still to come. */
  watchHeaders(): void {
    if (this.#watchesHeaders || !this.answerable) return;
    this.#watchesHeaders = true;
    watchHeaders(this.res, this);
  }

  /** Calls back once it is decided whether it is let in; for requests that wait. */
  whenDecided(then: (admitted: boolean) => void): void {
    this.#onDecided = then;
  }

  onAdmitted(): void {
    this.#letIn(this.rt.clock.now());
  }

  #letIn(now: number): void {
    this.#decision = 'admitted';
    this.armDeadline(now);
    if (this.rt.emit.enabled) reportAdmitted(this.rt, this.rank, this.asked.source, this.patience);
    this.#onDecided?.(true);
  }

  onRefused(reason: RefusalReason, retryAfterMs: number): void {
    reportRefused(this.rt, this.rank, reason, retryAfterMs, false);
    this.turnDown(this.rt.refusals.of(reason === 'draining', retryAfterMs));
  }

  onPardoned(reason: RefusalReason, retryAfterMs: number): void {
    reportRefused(this.rt, this.rank, reason, retryAfterMs, true);
  }

  /** Answers in place of the handler, which never runs. */
  turnDown(problem: ProblemAnswer): void {
    if (this.res.headersSent) {
      this.passBy();
      this.#onDecided?.(true);
      return;
    }
    this.#decision = 'refused';
    this.phase = 'answered';
    this.beforeHeaders(problem.status, undefined);
    answerProblem(this.res, problem);
    this.#onDecided?.(false);
  }

  /** Applies what its route says, from now on. */
  applyRoute(route: RouteSettings): void {
    const { deadlineMs, priority, exempt, mode, onDisconnect, covers } = route;
    if (covers !== undefined) this.covers = covers;
    if (onDisconnect !== undefined) this.#onDisconnect = onDisconnect;
    if (priority !== undefined) this.reclassify(rankOf(priority));
    if (exempt) this.#leaveGate('ignored');
    if (deadlineMs === undefined && mode === undefined) return;
    this.rebind(route);
    if (this.answerable && this.#decision === 'admitted') this.armDeadline(this.rt.clock.now());
  }

  protected override reclassify(rank: number): void {
    this.#gate?.reclassify(this, rank);
    super.reclassify(rank);
  }

  /** The handler's promise has settled. */
  handled(): void {
    this.#handled = true;
    this.#aftermath?.handled();
  }

  /** A handler answered or failed although its request had been answered, and its framework keeps that to itself. */
  cameLate(how: 'answer' | 'error'): void {
    this.#aftermath?.cameLate(how);
  }

  /** Two may answer from now on: whoever is first does, and the other's answer does no harm. */
  contest(): void {
    if (this.#aftermath !== undefined) return;
    this.#aftermath = new Aftermath(this.rt, this.res);
    this.#aftermath.guardOnceEnded();
  }

  /** Takes `timer` out as soon as the request is answered or over. */
  standBy(timer: Timer): void {
    this.#standby = timer;
  }

  override onTimer(): void {
    const now = this.rt.clock.now();
    if (this.place === 'waiting') this.#gate?.waitedTooLong(this, now);
    else this.#deadlinePassed(now);
  }

  beforeHeaders(status: number, given: GivenHeaders): void {
    if (this.rt.draining) this.res.setHeader('Connection', 'close');
    const made = this.madeCall;
    if (made !== undefined) addCallHeaders(this.res, status, given, made);
    else if (status >= 429 && saysAttempt(this.req.headers))
      addCallHeaders(this.res, status, given, this.call);
  }

  afterHeaders(): void {
    if (this.phase !== 'open') return;
    this.phase = 'started';
    this.#dismiss();
    if (this.covers === 'response') return;
    this.rt.clock.disarm(this);
    this.met();
    if (this.place === 'inside') this.#gate?.answering();
  }

  onClosed(): void {
    const phase = this.phase;
    if (phase === 'closed') return;
    this.phase = 'closed';
    this.rt.clock.disarm(this);
    this.#dismiss();
    const isSent = this.#ownSocket?.destroyed === false || wasSent(this.req, this.res);
    this.#aftermath?.closed();
    if (phase !== 'answered') {
      if (this.place === 'waiting') this.#gate?.withdraw(this);
      this.#leaveGate(isSent ? lessonOf(this.res.statusCode) : 'ignored');
      if (!isSent && !this.#cut) this.#clientGone();
    }
    if (this.#decision !== 'refused' && this.rt.emit.enabled) this.#reportEnd(isSent);
  }

  #dismiss(): void {
    if (this.#standby !== undefined) this.rt.clock.disarm(this.#standby);
  }

  #deadlinePassed(now: number): void {
    const { isStarted } = this;
    if (isStarted && this.covers === 'headers') return;
    reportDeadline(this.rt, now, this.arrivedAt);
    if (this.observes) return;
    const error = spillwayError('ERR_DEADLINE_EXCEEDED', 'The deadline of this request has passed');
    if (isStarted) {
      // part of the body is out: nothing more can be said, but the client must not take it for the whole (C-063)
      this.#cut = true;
      this.res.destroy();
    } else this.#answerInTime(error);
    this.cancel(error);
  }

  #answerInTime(error: SpillwayError): void {
    const { res } = this;
    // there is nothing here to answer on
    if (this.#isHijacked) {
      this.#leaveGate('ignored');
      return;
    }
    this.phase = 'answered';
    this.#answered = true;
    this.#dismiss();
    dropBodyHeaders(res);
    const problem = problemOf(error, this.rt.service);
    this.beforeHeaders(problem.status, undefined);
    answerProblem(res, problem);
    this.#aftermath ??= new Aftermath(this.rt, res);
    this.#aftermath.guard();
    this.onAnswered?.();
    if (this.#handled) this.#leaveGate('dropped');
    else this.#aftermath.detach(() => this.#leaveGate('dropped'));
  }

  #clientGone(): void {
    const onDisconnect = this.#onDisconnect ?? (isSafe(this.req.method) ? 'cancel' : 'finish');
    if (onDisconnect === 'cancel') this.cancel(spillwayError('ERR_CANCELLED', 'The client went away'));
  }

  #leaveGate(end: PermitEnd): void {
    if (this.place === 'inside') this.#gate?.leave(this, end, this.rt.clock.now());
  }

  #reportEnd(isSent: boolean): void {
    const outcome = this.#cut ? 'failed' : isSent ? 'answered' : 'aborted';
    const status = isSent || this.res.headersSent ? this.res.statusCode : undefined;
    reportEnd(this.rt, outcome, status, this.arrivedAt);
  }
}
