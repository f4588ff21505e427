import type { ResolvedLimit } from '../../../src/config/resolved.js';
import { Gate } from '../../../src/inbound/gate.js';
import { Guest } from '../../../src/inbound/guest.js';
import { rankOf } from '../../../src/inbound/request-facts.js';
import { type Criticality, seededRandom } from '../../../src/index.js';
import type { Clock, Timer } from '../../../src/time/clock.js';

export interface LoadOptions {
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  /** CPU time of a handler. */
  readonly workMs: number;
  /** What a handler awaits before it works. */
  readonly awaitMs?: number;
  /** CPU time of reading a request, and of refusing one. */
  readonly readMs?: number;
  readonly refuseMs?: number;
  /** After this an answer is worth nothing. */
  readonly deadlineMs: number;
  /** After this a client closes its connection. Default: never. The server learns of it when it reads the request. */
  readonly hangUpMs?: number;
  readonly limit: ResolvedLimit;
  /** Each request on a connection of its own. */
  readonly oneEach?: boolean;
  /** Connections that clients have open, and idle, at first. Default none: each must be accepted. */
  readonly connections?: number;
  /** Another rate at first. */
  readonly burst?: { readonly rate: number; readonly untilMs: number };
  /** Class of the i-th request. Default critical. */
  readonly priority?: (i: number) => Criticality;
  /** Stalls of the loop, as by a collection of garbage: [at, ms]. */
  readonly stalls?: readonly (readonly [at: number, ms: number])[];
  /** Other processes that want the processor all the time, and get as much of it as this one. */
  readonly neighbours?: number;
  /** Arrivals at random instants instead of evenly spaced ones. */
  readonly seed?: number;
}

export interface LoadResult {
  readonly sent: number;
  readonly good: number;
  readonly refused: number;
  readonly late: number;
  /** Median time to a refusal. */
  readonly refusedP50: number;
  /** Good answers by class. */
  readonly goodOf: (priority: Criticality) => number;
  readonly sentOf: (priority: Criticality) => number;
  readonly longestTurnMs: number;
  /** Good answers, by the minute in which their requests were sent. */
  readonly goodByMinute: readonly number[];
  /** When the last refusal was sent; 0: never. */
  readonly lastRefusedAt: number;
  readonly inFlight: number;
}

class LoopClock implements Clock {
  at = 0;
  now(): number {
    return this.at;
  }
  wall(): number {
    return this.at;
  }
  arm(_timer: Timer, _ms: number): void {
    // nobody's patience ends
  }
  disarm(_timer: Timer): void {
    // the same
  }
}

/** What a process may use of the processor before its neighbours have their turn. */
const SLICE_MS = 4;

class Request extends Guest {
  readonly sentAt: number;
  readonly priority: Criticality;
  readonly isNew: boolean;
  readonly #start: (request: Request) => void;

  constructor(sentAt: number, priority: Criticality, isNew: boolean, start: (request: Request) => void) {
    super();
    this.#start = start;
    this.isNew = isNew;
    this.sentAt = sentAt;
    this.priority = priority;
    this.rank = rankOf(priority);
  }

  override get isFirst(): boolean {
    return this.isNew;
  }
  get patience(): number {
    return Number.POSITIVE_INFINITY;
  }
  onTimer(): void {
    // never armed
  }
  get isStreaming(): boolean {
    return false;
  }

  watchHeaders(): void {
    // has no answer
  }

  onAdmitted(): void {
    this.#start(this);
  }
  onRefused(): void {
    // its verdict says so
  }
  onPardoned(): void {
    // enforcing
  }
}

/**
 * Node's event loop in virtual time, as far as overload goes: one connection is accepted a turn, everything readable
 * is read, then what was put off to the end of the turn runs. Clients use an idle connection, or open one.
 */
export function simulateLoad(options: LoadOptions): LoadResult {
  const { workMs, awaitMs = 0, readMs = 0.06, refuseMs = 0.04, deadlineMs } = options;
  const { hangUpMs = Number.POSITIVE_INFINITY } = options;
  const clock = new LoopClock();
  const random = seededRandom(options.seed ?? 1);
  let checks: (() => void)[] = [];
  let idleMs = 0;
  let stolenMs = 0;
  let sliceMs = SLICE_MS;
  /** Uses the processor. */
  const run = (ms: number) => {
    clock.at += ms;
    if (options.neighbours === undefined) return;
    for (sliceMs -= ms; sliceMs <= 0; sliceMs += SLICE_MS) {
      clock.at += SLICE_MS * options.neighbours;
      stolenMs += SLICE_MS * options.neighbours;
    }
  };
  const cpuMs = () => clock.at - idleMs - stolenMs;
  const gate = new Gate(
    {
      limit: options.limit,
      queue: { size: 0, order: 'fifo', waitMs: 500 },
      shares: {},
      mode: 'enforce',
    },
    { clock, random, loop: { onNextTurn: (then) => checks.push(then), idleMs: () => idleMs, cpuMs } },
  );
  const arrivals = arrivalTimes(options, options.seed === undefined ? undefined : random);
  const priorityOf = options.priority ?? (() => 'critical' as const);
  const stalls = [...(options.stalls ?? [])];
  const backlog: Request[] = [];
  let readable: Request[] = [];
  const sleeping: { at: number; request: Request }[] = [];
  const refusals: number[] = [];
  const good = new Map<Criticality, number>();
  const sent = new Map<Criticality, number>();
  let idleSockets = options.connections ?? 0;
  let next = 0;
  let refused = 0;
  let late = 0;
  let longestTurnMs = 0;
  let lastRefusedAt = 0;
  const goodByMinute: number[] = [];

  const answered = (request: Request, isGood: boolean) => {
    const ms = clock.at - request.sentAt;
    if (ms <= hangUpMs && options.oneEach !== true) idleSockets++;
    if (ms > deadlineMs) late++;
    else if (isGood) {
      const minute = Math.floor(request.sentAt / 60_000);
      goodByMinute[minute] = (goodByMinute[minute] ?? 0) + 1;
      good.set(request.priority, (good.get(request.priority) ?? 0) + 1);
    } else {
      refused++;
      refusals.push(ms);
      lastRefusedAt = clock.at;
    }
  };
  const work = (request: Request) => {
    run(workMs);
    answered(request, true);
    gate.leave(request, 'success', clock.at);
  };
  const sleep = (request: Request) => {
    const at = clock.at + awaitMs * (0.5 + random());
    const later = sleeping.findIndex((other) => other.at > at);
    sleeping.splice(later === -1 ? sleeping.length : later, 0, { at, request });
  };
  const start = (request: Request) => {
    if (awaitMs > 0) sleep(request);
    else checks.push(() => work(request));
  };
  const read = (request: Request) => {
    run(readMs);
    const verdict = gate.enter(request, clock.at);
    if (verdict === 'refused') {
      run(refuseMs);
      answered(request, false);
    } else if (verdict === 'admitted') start(request);
  };
  const clientsSend = () => {
    for (let due = arrivals[next]; due !== undefined && due <= clock.at; due = arrivals[++next]) {
      const request = new Request(due, priorityOf(next), idleSockets === 0, start);
      sent.set(request.priority, (sent.get(request.priority) ?? 0) + 1);
      if (idleSockets > 0) {
        idleSockets--;
        readable.push(request);
      } else backlog.push(request);
    }
  };

  for (;;) {
    clientsSend();
    const isIdle = backlog.length === 0 && readable.length === 0 && checks.length === 0;
    if (isIdle) {
      const waking = Math.min(
        arrivals[next] ?? Number.POSITIVE_INFINITY,
        sleeping[0]?.at ?? Number.POSITIVE_INFINITY,
      );
      if (waking === Number.POSITIVE_INFINITY) break;
      idleMs += Math.max(0, waking - clock.at);
      clock.at = Math.max(clock.at, waking);
      clientsSend();
    }
    const began = clock.at;
    if (stalls[0] !== undefined && stalls[0][0] <= clock.at) clock.at += stalls.shift()?.[1] ?? 0;
    while (sleeping[0] !== undefined && sleeping[0].at <= began)
      work((sleeping.shift() as { request: Request }).request);
    const toRead = readable;
    readable = [];
    const accepted = backlog.shift();
    for (const request of toRead) read(request);
    if (accepted !== undefined) readable.push(accepted);
    const due = checks;
    checks = [];
    for (const check of due) check();
    longestTurnMs = Math.max(longestTurnMs, clock.at - began);
  }
  refusals.sort((a, b) => a - b);
  return {
    sent: arrivals.length,
    good: [...good.values()].reduce((sum, count) => sum + count, 0),
    refused,
    late,
    refusedP50: refusals[refusals.length >> 1] ?? 0,
    goodOf: (priority) => good.get(priority) ?? 0,
    sentOf: (priority) => sent.get(priority) ?? 0,
    longestTurnMs,
    lastRefusedAt,
    goodByMinute,
    inFlight: gate.snapshot().inFlight,
  };
}

function arrivalTimes({ rate, seconds, burst }: LoadOptions, random: (() => number) | undefined): number[] {
  const times: number[] = [];
  for (let at = 0; at < seconds * 1000; ) {
    times.push(at);
    const perSecond = burst !== undefined && at < burst.untilMs ? burst.rate : rate;
    at += random === undefined ? 1000 / perSecond : (-Math.log(1 - random()) * 1000) / perSecond;
  }
  return times;
}
