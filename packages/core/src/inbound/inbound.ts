import type { IncomingMessage, ServerResponse } from 'node:http';
import { spillwayError } from '../call/errors.js';
import type { ResolvedInbound } from '../config/resolved.js';
import type { Criticality } from '../telemetry/events.js';
import type { InboundSnapshot } from '../telemetry/snapshot.js';
import { eventLoop } from '../time/system-clock.js';
import { reportExpired, reportMalformed } from './inbound-reports.js';
import { InboundRequest } from './inbound-request.js';
import { type InboundPorts, InboundRuntime } from './inbound-runtime.js';
import { malformedDeadlineProblem, problemOf } from './problem.js';
import { criticalityOf, rankOf, saysAttempt } from './request-facts.js';
import type { RouteSettings } from './route-settings.js';

/** What an adapter knows of a request when it comes. */
export interface Entry {
  /** Not counted at the gate, and never refused by it. */
  readonly exempt?: boolean;
  /** In place of what the request says. */
  readonly priority?: Criticality | undefined;
  /** Who called, for idempotency keys derived inside. */
  readonly callerScope?: string | undefined;
  /** Options of its route, where they are known already. */
  readonly route?: RouteSettings | undefined;
}

/** How long clients of a server that shuts down should wait: long enough for another one to be asked. */
const DRAINING_RETRY_MS = 1000;

const NOTHING_KNOWN: Entry = Object.freeze({});

/** The inbound side of a spillway: deadlines, the gate, and the life of each response. Frameworks adapt to it. */
export class Inbound {
  readonly #rt: InboundRuntime;
  /** Requests that were let in, or wait, in front of their framework; there once a server is guarded. */
  #guarded: WeakMap<IncomingMessage, InboundRequest> | undefined = undefined;

  constructor(options: ResolvedInbound, ports: InboundPorts) {
    this.#rt = new InboundRuntime(options, ports, ports.loop ?? eventLoop);
  }

  /**
   * Takes a request in. On return it is `admitted` (run the handler), `waiting` (ask `whenDecided`), or `refused`
   * (answered: do nothing). A request is taken in once: adapters that stand in its way twice ask it the second time.
   */
  enter(req: IncomingMessage, res: ServerResponse, entry: Entry = NOTHING_KNOWN): InboundRequest {
    const guarded = this.#guarded?.get(req);
    if (guarded !== undefined) return adopted(guarded, entry);
    const rt = this.#rt;
    const { trusts } = rt.options;
    const now = rt.clock.now();
    const { headers } = req;
    const asked = rt.deadlines.read(req, trusts, headers);
    const request = new InboundRequest(rt, req, res, asked, now, entry.callerScope);
    request.rank = rankOf(entry.priority ?? criticalityOf(req, trusts, headers));
    if (entry.route !== undefined) request.applyRoute(entry.route);
    if (asked.malformed.length > 0) reportMalformed(rt, asked.malformed, now);
    if (request.isOver) request.passBy();
    else if (!this.#turnDown(request, now)) request.knock(isExempt(entry), saysAttempt(headers));
    return request;
  }

  /** Takes a request in before its framework sees it. The adapter that enters it later takes it over as it is. */
  guard(req: IncomingMessage, res: ServerResponse, entry?: Entry): InboundRequest {
    const request = this.enter(req, res, entry);
    if (request.decision !== 'refused') {
      this.#guarded ??= new WeakMap();
      this.#guarded.set(req, request);
    }
    return request;
  }

  /** Has this request been taken in by `guard`? */
  hasGuarded(req: IncomingMessage): boolean {
    return this.#guarded?.has(req) === true;
  }

  /** The state at this instant, JSON-safe. */
  snapshot(): InboundSnapshot {
    const { gate, detached, drained } = this.#rt;
    const seen = gate?.snapshot();
    return {
      limit: seen?.limit ?? Number.MAX_SAFE_INTEGER,
      inFlight: seen?.inFlight ?? 0,
      queued: seen?.queued ?? 0,
      detached,
      refused: { ...seen?.refused, draining: drained },
    };
  }

  /** From now on new requests get 503 with `Connection: close`; those inside finish. */
  drain(): void {
    this.#rt.draining = true;
    this.#rt.gate?.clear('draining');
    this.#rt.gate?.eachInside((guest) => guest.watchHeaders());
  }

  /** Forgets what was learnt, and takes requests again. */
  reset(): void {
    this.#rt.draining = false;
    this.#rt.drained = 0;
    this.#rt.replaceGate();
  }

  /** Answers what needs no handler; false when it does. */
  #turnDown(request: InboundRequest, now: number): boolean {
    const rt = this.#rt;
    const { asked } = request;
    const { onMalformed, mode } = rt.options.deadline;
    if (rt.draining) {
      rt.drained++;
      request.onRefused('draining', DRAINING_RETRY_MS);
    } else if (asked.malformed.length > 0 && onMalformed === 'reject') {
      request.turnDown(malformedDeadlineProblem(asked.malformed, rt.service));
    } else if (asked.ms === 0) {
      reportExpired(rt, asked.source, now);
      if (mode === 'observe') return false;
      const error = spillwayError(
        'ERR_DEADLINE_EXCEEDED',
        'The deadline had passed when the request arrived',
      );
      request.turnDown(problemOf(error, rt.service));
    } else return false;
    return true;
  }
}

const NOTHING_SET: RouteSettings = {
  deadlineMs: undefined,
  priority: undefined,
  exempt: false,
  mode: undefined,
  onDisconnect: undefined,
  covers: undefined,
};

/** A request that a guard has taken in already, with what its adapter knows of it besides. */
function adopted(request: InboundRequest, entry: Entry): InboundRequest {
  const { exempt = false, priority, callerScope, route } = entry;
  if (callerScope !== undefined) request.callerScope = callerScope;
  if (exempt || priority !== undefined) request.applyRoute({ ...NOTHING_SET, exempt, priority });
  if (route !== undefined) request.applyRoute(route);
  return request;
}

function isExempt({ exempt, route }: Entry): boolean {
  return exempt === true || route?.exempt === true;
}
