import {
  type Attempt,
  boundsOf,
  type Clock,
  createSpillway,
  InboundGate,
  isSpillwayError,
  type Observer,
  type Outcome,
  type Random,
  RequestCall,
  retryAfterSeconds,
  type Spillway,
  spillwayError,
  wasRetried,
} from '@spillway/core';
import type { Draw } from '../chance/latency.js';
import type { DependencyStats } from '../measure/dependency-stats.js';
import type { ServiceStats } from '../measure/service-stats.js';
import type { ResolvedCall, ResolvedService } from '../scenario/resolved.js';
import { Answer, DEGRADED, OK } from './answer.js';
import type { Caller } from './caller.js';
import { Leg } from './leg.js';
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

/** The Spillway of one instance, made of its configuration as in production, and its calls through it. */
export class Guard {
  readonly spillway: Spillway<Record<string, unknown>>;
  readonly gate: InboundGate | undefined;
  readonly #ports: ServicePorts;
  readonly #trusts: boolean;

  private constructor(ports: ServicePorts, spillway: Spillway<Record<string, unknown>>) {
    const { clock, policyRandom: random } = ports;
    const { concurrency, trusts } = spillway.config.inbound;
    this.#ports = ports;
    this.spillway = spillway;
    this.#trusts = trusts(PEER);
    // `loop` watches the event loop, which a simulated service does not have; its capacity stands for that
    const governed = concurrency !== undefined && concurrency.limit.kind !== 'loop';
    const onNextTurn = (then: () => void): void => queueMicrotask(then);
    this.gate = governed ? new InboundGate(concurrency, { clock, random, onNextTurn }) : undefined;
  }

  static of(ports: ServicePorts, instance: number): Guard | undefined {
    const { spec, clock, policyRandom: random, observerOf } = ports;
    if (spec.spillway === undefined) return undefined;
    const observers = [observerOf(instance)];
    const spillway = createSpillway<Record<string, unknown>>(spec.spillway, { clock, random, observers });
    return new Guard(ports, spillway);
  }

  /** The call of one request: its bounds as the inbound side would set them. */
  callFor({ method, attempt, budgetMs, rank }: Caller, now: number): RequestCall {
    const { deadline } = this.spillway.config.inbound;
    const asked = budgetMs === undefined ? undefined : Math.max(1, Math.floor(budgetMs));
    const bounds = boundsOf(deadline, asked, undefined, deadline.mode === 'observe', now);
    return new RequestCall(this.#ports.clock, now, bounds.answerBy, bounds.workUntil, {
      method,
      attempt: this.#trusts ? attempt : 1,
      criticality: CRITICALITIES[rank] ?? 'critical',
      idempotencyKey: undefined,
      callerScope: undefined,
    });
  }

  /** Makes the calls of the service for one request, and answers. */
  async callOthers(visit: Visit): Promise<Answer> {
    const calls = this.#chosen();
    let degraded = false;
    if (this.#ports.spec.parallel) {
      const outcomes = await Promise.all(calls.map((call) => this.#call(visit, call)));
      for (const [index, outcome] of outcomes.entries()) {
        const failed = this.#failed(visit, calls[index] as ResolvedCall, outcome);
        if (failed !== undefined) return failed;
        degraded ||= isDegraded(outcome);
      }
      return degraded ? DEGRADED : OK;
    }
    for (const call of calls) {
      const outcome = await this.#call(visit, call);
      const failed = this.#failed(visit, call, outcome);
      if (failed !== undefined) return failed;
      degraded ||= isDegraded(outcome);
    }
    return degraded ? DEGRADED : OK;
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

  #chosen(): readonly ResolvedCall[] {
    const { spec, random } = this.#ports;
    const all = spec.calls;
    if (all.every(({ share, times }) => share === 1 && times === 1)) return all;
    return all
      .flatMap((call) => Array.from({ length: call.times }, () => call))
      .filter(({ share }) => share === 1 || random() < share);
  }

  #call(visit: Visit, { to, idempotent }: ResolvedCall): Promise<Outcome<unknown>> {
    const { send, statsOf } = this.#ports;
    const budgeted = this.spillway.config.dependencies.get(to)?.propagate === true;
    const rank = this.#trusts ? visit.rank : DEFAULT_RANK;
    const stats = statsOf(to);
    const work = (attempt: unknown): Promise<Answer> => {
      // core hands the work its own Attempt, of which AttemptContext is the public face
      const leg = new Leg(attempt as Attempt, idempotent ? 'GET' : 'POST', budgeted, rank, stats);
      send(to, leg);
      return leg.outcome;
    };
    const parent = visit.call;
    const options = parent === undefined ? { idempotent } : { idempotent, parent };
    return this.spillway.dependency(to).settle(work, options);
  }

  #failed(visit: Visit, { optional }: ResolvedCall, outcome: Outcome<unknown>): Answer | undefined {
    const isGood = outcome.ok && !(outcome.value instanceof Answer && outcome.value.status >= 400);
    if (isGood || optional) return undefined;
    if (!isSpillwayError(outcome.error)) return new Answer(502);
    const { status, retryAfterMs } = outcome.error;
    const waits = (status === 503 || status === 504) && retryAfterMs !== undefined;
    const isOurs = (status >= 500 || status === 429) && visit.call !== undefined && wasRetried(visit.call);
    return new Answer(status, {
      retryAfter: waits ? retryAfterSeconds(retryAfterMs) : undefined,
      toldNotToRetry: isOurs,
    });
  }
}

const CRITICALITIES = ['sheddable', 'sheddable_plus', 'critical', 'critical_plus'] as const;

/** A fallback's value is no Answer; an optional call that failed left something out. */
function isDegraded(outcome: Outcome<unknown>): boolean {
  return !(outcome.ok && outcome.value instanceof Answer) || outcome.value.degraded;
}
