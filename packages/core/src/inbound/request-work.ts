import type { IncomingMessage } from 'node:http';
import type { SpillwayError } from '../call/errors.js';
import { RequestCall } from '../call/request-call.js';
import { type Bounds, boundsOf } from './bounds.js';
import type { CallerDeadline } from './deadline-headers.js';
import type { InboundRuntime } from './inbound-runtime.js';
import { CRITICALITIES, DEFAULT_CRITICALITY, InboundFacts } from './request-facts.js';

/** The work of one request: its bounds, its cancellation, and its call. Made once somebody asks for any of them. */
export class RequestWork {
  readonly arrivedAt: number;
  /** What the caller's deadline headers said. */
  readonly asked: CallerDeadline;
  /** Its deadline is counted and cuts nothing. */
  observes: boolean;
  bounds: Bounds;
  /** Who called. */
  callerScope: string | undefined;
  readonly #rt: InboundRuntime;
  readonly #req: IncomingMessage;
  #routeMs: number | undefined = undefined;
  #call: RequestCall | undefined = undefined;
  #facts: InboundFacts | undefined = undefined;
  #headersOut: boolean;
  #cancelled: SpillwayError | undefined = undefined;

  constructor(
    rt: InboundRuntime,
    req: IncomingMessage,
    asked: CallerDeadline,
    arrivedAt: number,
    callerScope: string | undefined,
    headersOut: boolean,
  ) {
    const { deadline } = rt.options;
    this.arrivedAt = arrivedAt;
    this.asked = asked;
    this.#rt = rt;
    this.#req = req;
    this.callerScope = callerScope;
    this.#headersOut = headersOut;
    this.observes = deadline.mode === 'observe';
    this.bounds = boundsOf(deadline, asked.ms, undefined, this.observes, arrivedAt);
  }

  /** The call, if anybody has asked for it. */
  get made(): RequestCall | undefined {
    return this.#call;
  }

  get workUntil(): number {
    if (this.#call !== undefined) return this.#call.workUntil;
    return this.#headersOut ? Number.POSITIVE_INFINITY : this.bounds.workUntil;
  }

  /** The call, made now if need be. */
  call(rank: number): RequestCall {
    this.#call ??= this.#make(rank);
    return this.#call;
  }

  cancel(reason: SpillwayError): void {
    this.#cancelled ??= reason;
    this.#call?.cancel(reason);
  }

  /** The deadline has been met: operations go by their own from now on. */
  headersSent(): void {
    this.#headersOut = true;
    this.#call?.headersSent();
  }

  /** Gives it at least `ms` from now, at most until the answer is due. */
  extend(ms: number, rank: number): void {
    const call = this.call(rank);
    call.workUntil = Math.max(call.workUntil, Math.min(this.#rt.clock.now() + ms, call.answerBy));
  }

  /** A route sets a deadline, or what is done about it. */
  rebind(routeMs: number | undefined, observes: boolean): void {
    this.#routeMs = routeMs ?? this.#routeMs;
    this.observes = observes;
    const { deadline } = this.#rt.options;
    this.bounds = boundsOf(deadline, this.asked.ms, this.#routeMs, observes, this.arrivedAt);
    if (this.#call === undefined || this.#headersOut) return;
    this.#call.answerBy = this.bounds.answerBy;
    this.#call.workUntil = this.bounds.workUntil;
  }

  reclassify(rank: number): void {
    if (this.#facts !== undefined) this.#facts.criticality = CRITICALITIES[rank] ?? DEFAULT_CRITICALITY;
  }

  #make(rank: number): RequestCall {
    const { clock, options } = this.#rt;
    const priority = CRITICALITIES[rank] ?? DEFAULT_CRITICALITY;
    this.#facts = new InboundFacts(this.#req, options.trusts, priority, this.callerScope);
    const { answerBy, workUntil } = this.bounds;
    const call = new RequestCall(clock, this.arrivedAt, answerBy, workUntil, this.#facts);
    if (this.#cancelled !== undefined) call.cancel(this.#cancelled);
    else if (this.#headersOut) call.headersSent();
    return call;
  }
}
