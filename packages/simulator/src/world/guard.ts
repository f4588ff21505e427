import {
  boundsOf,
  type Clock,
  createSpillway,
  InboundGate,
  isSpillwayError,
  type Observer,
  type Outcome,
  type Random,
  RequestCall,
  type RequestFacts,
  retryAfterSeconds,
  type Spillway,
  spillwayError,
  wasRetried,
} from '@spillway/core';
import type { Draw } from '../chance/latency.js';
import type { DependencyStats } from '../measure/dependency-stats.js';
import type { ServiceStats } from '../measure/service-stats.js';
import type { ResolvedService } from '../scenario/resolved.js';
import { Answer, DEGRADED, ErrorAnswer, OK } from './answer.js';
import type { Caller } from './caller.js';
import { Edge } from './edge.js';
import type { Visit } from './visit.js';

/** What the instances of one service share. */
export interface ServicePorts {
  readonly name: string;
  readonly spec: ResolvedService;
  readonly clock: Clock;
  /** For latencies and for which calls are made. */
  readonly random: Random;
  /** For the policies. */
  readonly policyRandom: Random;
  readonly draw: Draw;
  readonly stats: ServiceStats;
  readonly observerOf: (instance: number) => Observer;
  /** Sends a request to a service by name. */
  readonly send: (to: string, caller: Caller) => void;
  readonly statsOf: (dependency: string) => DependencyStats;
}

/** Where services call each other from; a service trusts the others if its configuration trusts this. */
const PEER = '10.0.0.1';
const DEFAULT_RANK = 2;
/** A simulated service has no event loop; nothing asks for one where the limit is not `loop`. */
const NO_LOOP = { onNextTurn: (then: () => void): void => queueMicrotask(then), idleMs: (): number => 0 };
const CRITICALITIES = ['sheddable', 'sheddable_plus', 'critical', 'critical_plus'] as const;

/** The Spillway of one instance, made of its configuration as in production, and its calls through it. */
export class Guard {
  readonly spillway: Spillway<Record<string, unknown>>;
  readonly gate: InboundGate | undefined;
  readonly #ports: ServicePorts;
  readonly #trusts: boolean;
  readonly #edges: readonly Edge[];
  /** The one call of services that always make exactly one. */
  readonly #only: Edge | undefined;
  #facts: RequestFacts | undefined;

  private constructor(ports: ServicePorts, spillway: Spillway<Record<string, unknown>>) {
    const { clock, policyRandom: random, spec } = ports;
    const { concurrency, trusts } = spillway.config.inbound;
    this.#ports = ports;
    this.spillway = spillway;
    this.#trusts = trusts(PEER);
    // `loop` watches the event loop, which a simulated service does not have; its capacity stands for that
    const governed = concurrency !== undefined && concurrency.limit.kind !== 'loop';
    this.gate = governed ? new InboundGate(concurrency, { clock, random, loop: NO_LOOP }) : undefined;
    this.#edges = spec.calls.map((call) => edgeOf(ports, spillway, call));
    const [first] = this.#edges;
    this.#only = this.#edges.length === 1 && first !== undefined && isPlainCall(first) ? first : undefined;
  }

  static of(ports: ServicePorts, instance: number): Guard | undefined {
    const { spec, clock, policyRandom: random, observerOf } = ports;
    if (spec.spillway === undefined) return undefined;
    const observers = [observerOf(instance)];
    const spillway = createSpillway<Record<string, unknown>>(spec.spillway, { clock, random, observers });
    return new Guard(ports, spillway);
  }

  /** The call of one request: its bounds as the inbound side would set them. */
  callFor(caller: Caller, now: number): RequestCall {
    const { deadline } = this.spillway.config.inbound;
    const { budgetMs } = caller;
    const asked = budgetMs === undefined ? undefined : Math.max(1, Math.floor(budgetMs));
    const bounds = boundsOf(deadline, asked, undefined, deadline.mode === 'observe', now);
    return new RequestCall(this.#ports.clock, now, bounds.answerBy, bounds.workUntil, this.#factsOf(caller));
  }

  /** Makes the calls of the service for one request, and answers. */
  callOthers(visit: Visit): Promise<Answer> {
    const only = this.#only;
    if (only === undefined) return this.#callAll(visit);
    return only.run(visit.call, this.#rankOf(visit)).then((outcome) => {
      return this.#failed(visit, only, outcome) ?? (isDegraded(outcome) ? DEGRADED : OK);
    });
  }

  /** The caller has gone: ends the work for it, as the inbound side would. */
  cancel({ call, caller }: Visit): void {
    const policy =
      this.spillway.config.inbound.onDisconnect ?? (caller.method === 'GET' ? 'cancel' : 'finish');
    if (policy === 'cancel') call?.cancel(spillwayError('ERR_CANCELLED', 'The client went away'));
  }

  close(): void {
    this.spillway.close();
  }

  async #callAll(visit: Visit): Promise<Answer> {
    const edges = this.#chosen();
    const rank = this.#rankOf(visit);
    const started = this.#ports.spec.parallel ? edges.map((edge) => edge.run(visit.call, rank)) : undefined;
    let degraded = false;
    for (const [index, edge] of edges.entries()) {
      const outcome = await (started?.[index] ?? edge.run(visit.call, rank));
      const failed = this.#failed(visit, edge, outcome);
      if (failed !== undefined) return failed;
      degraded ||= isDegraded(outcome);
    }
    return degraded ? DEGRADED : OK;
  }

  #chosen(): readonly Edge[] {
    const { random } = this.#ports;
    return this.#edges
      .flatMap((edge) => Array.from({ length: edge.call.times }, () => edge))
      .filter(({ call }) => call.share === 1 || random() < call.share);
  }

  #rankOf({ rank }: Visit): number {
    return this.#trusts ? rank : DEFAULT_RANK;
  }

  /** Most requests look alike: they share their facts. */
  #factsOf({ method, attempt, rank }: Caller): RequestFacts {
    const known = this.#facts;
    const believed = this.#trusts ? attempt : 1;
    const criticality = CRITICALITIES[rank] ?? 'critical';
    if (known?.method === method && known.attempt === believed && known.criticality === criticality)
      return known;
    const facts = {
      method,
      attempt: believed,
      criticality,
      idempotencyKey: undefined,
      callerScope: undefined,
    };
    this.#facts = facts;
    return facts;
  }

  #failed({ call }: Visit, edge: Edge, outcome: Outcome<unknown>): Answer | undefined {
    const isGood = outcome.ok && !(outcome.value instanceof Answer && outcome.value.status >= 400);
    if (isGood || edge.call.optional) return undefined;
    if (!isSpillwayError(outcome.error)) return new ErrorAnswer(502);
    const { status, retryAfterMs } = outcome.error;
    const waits = (status === 503 || status === 504) && retryAfterMs !== undefined;
    return new ErrorAnswer(status, {
      retryAfter: waits ? retryAfterSeconds(retryAfterMs) : undefined,
      toldNotToRetry: (status >= 500 || status === 429) && call !== undefined && wasRetried(call),
    });
  }
}

function edgeOf(
  { send, statsOf }: ServicePorts,
  spillway: Spillway<Record<string, unknown>>,
  call: ResolvedService['calls'][number],
): Edge {
  const propagates = spillway.config.dependencies.get(call.to)?.propagate === true;
  const dependency = spillway.dependency(call.to);
  return new Edge({ call, dependency, propagates, stats: statsOf(call.to), send });
}

function isPlainCall({ call: { share, times } }: Edge): boolean {
  return share === 1 && times === 1;
}

/** A fallback's value is no Answer; an optional call that failed left something out. */
function isDegraded(outcome: Outcome<unknown>): boolean {
  return !(outcome.ok && outcome.value instanceof Answer) || outcome.value.degraded;
}
