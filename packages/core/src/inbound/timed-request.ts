import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SpillwayError } from '../call/errors.js';
import type { RequestCall } from '../call/request-call.js';
import type { CallerDeadline } from './deadline-headers.js';
import { Guest } from './guest.js';
import type { InboundRuntime } from './inbound-runtime.js';
import type { Phase } from './request-phase.js';
import { RequestWork } from './request-work.js';
import type { RouteSettings } from './route-settings.js';

/** A request and its time: the bounds of its work, and the work itself once somebody asks for it. */
export abstract class TimedRequest extends Guest {
  readonly rt: InboundRuntime;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly arrivedAt: number;
  /** What the caller's deadline headers said. */
  readonly asked: CallerDeadline;
  protected phase: Phase = 'open';
  protected covers: 'headers' | 'response';
  #callerScope: string | undefined;
  #work: RequestWork | undefined = undefined;

  constructor(
    rt: InboundRuntime,
    req: IncomingMessage,
    res: ServerResponse,
    asked: CallerDeadline,
    arrivedAt: number,
    callerScope: string | undefined,
  ) {
    super();
    this.rt = rt;
    this.req = req;
    this.res = res;
    this.arrivedAt = arrivedAt;
    this.asked = asked;
    this.covers = rt.options.deadline.covers;
    this.#callerScope = callerScope;
  }

  /** By this instant 504 is answered; Infinity when neither the caller nor the route asked for it. */
  get answerBy(): number {
    return this.#ownWork().bounds.answerBy;
  }

  /** By this instant the work for it is over; Infinity: unbounded. */
  get workUntil(): number {
    return this.#ownWork().workUntil;
  }

  get patience(): number {
    return this.#ownWork().bounds.workUntil;
  }

  /** Its work as a call: operations made for it are children of this one. Made when first asked for. */
  get call(): RequestCall {
    this.watchHeaders();
    return this.#ownWork().call(this.rank);
  }

  /** Who called, where that is known only once a guard has let it in. */
  set callerScope(scope: string) {
    this.#callerScope = scope;
    if (this.#work !== undefined) this.#work.callerScope = scope;
  }

  /** Milliseconds left for work; never negative. */
  remainingMs(): number {
    return Math.max(0, this.workUntil - this.rt.clock.now());
  }

  /** Gives its work `ms` from now, at most until the answer is due: the time of a fallback. */
  extend(ms: number): void {
    this.watchHeaders();
    this.#ownWork().extend(ms, this.rank);
  }

  /** Its handler has begun to answer. */
  protected get isStarted(): boolean {
    return this.phase === 'started' || (this.phase === 'open' && this.res.headersSent);
  }

  /** The call, if anybody has asked for it. */
  protected get madeCall(): RequestCall | undefined {
    return this.#work?.made;
  }

  /** Its deadline is counted and cuts nothing. */
  protected get observes(): boolean {
    return this.#work?.observes ?? this.rt.options.deadline.mode === 'observe';
  }

  protected cancel(reason: SpillwayError): void {
    this.#ownWork().cancel(reason);
  }

  /** The deadline has been met. */
  protected met(): void {
    this.#work?.headersSent();
  }

  protected rebind({ deadlineMs, mode }: RouteSettings): void {
    const work = this.#ownWork();
    work.rebind(deadlineMs, mode === undefined ? work.observes : mode === 'observe');
  }

  protected reclassify(rank: number): void {
    this.rank = rank;
    this.#work?.reclassify(rank);
  }

  /** Has the timer go off when the deadline passes, be it to cut or only to count. */
  protected armDeadline(now: number): void {
    const { clock } = this.rt;
    const leftMs = this.#leftMs(now);
    if (leftMs !== Number.POSITIVE_INFINITY) clock.arm(this, leftMs, now);
    else if (this.armed) clock.disarm(this);
  }

  #leftMs(now: number): number {
    if (this.#work !== undefined) return this.#work.bounds.dueAt - now;
    const { ms } = this.asked;
    if (ms === undefined) return Number.POSITIVE_INFINITY;
    // whole for a request that has just come: timers of one length share one real timer
    return Math.min(ms, this.rt.options.deadline.maxMs) - (now - this.arrivedAt);
  }

  /** Most requests never ask for it: a handler that calls nobody needs no more than the timer. */
  #ownWork(): RequestWork {
    const isMet = this.isStarted && this.covers === 'headers';
    if (this.#work === undefined) {
      this.#work = new RequestWork(this.rt, this.req, this.asked, this.arrivedAt, this.#callerScope, isMet);
    } else if (isMet) this.#work.headersSent();
    return this.#work;
  }
}
