import { RetryBudget } from '../algorithms/budget.js';
import { Units } from '../algorithms/units.js';
import type { ResolvedBudget, ResolvedDependency } from '../config/resolved.js';
import type { ContextCarrier } from '../context/context.js';
import type { FallbackReach } from '../policies/fallback.js';
import type { FaultSet } from '../policies/fault-set.js';
import { StaleAnswers } from '../policies/stale-answers.js';
import type { OperationOutcome } from '../telemetry/events.js';
import type { FanOut } from '../telemetry/fan-out.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import { type BreakerHandle, BreakerRegistry } from './breaker-registry.js';
import type { Operation } from './operation.js';

/** A retry asleep between two attempts, or a call that waits for its breaker; `stop` ends that, and with it the operation. */
export interface Sleeper {
  stop(): void;
}

export interface RuntimePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: FanOut;
  /** Numbers operations within the process. */
  readonly ids: { last: number };
  /** `draining`: retries stop. `closed`: nothing starts. */
  readonly phase: { current: 'open' | 'draining' | 'closed' };
  /** The ambient context, where the application opted into one. */
  readonly context: ContextCarrier | undefined;
  /** How fallbacks come by other dependencies. */
  readonly reach: FallbackReach;
}

type TenantKey = Exclude<ResolvedBudget['key'], false>;

/** The live state of one dependency, shared by all of its operations. */
export class DependencyRuntime {
  readonly name: string;
  readonly options: ResolvedDependency;
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: FanOut;
  readonly #ids: { last: number };
  /** How the retry budget is split; undefined when it is not. */
  readonly #tenantKey: TenantKey | undefined;
  #openMessage: string | undefined = undefined;
  readonly phase: { current: 'open' | 'draining' | 'closed' };
  readonly context: ContextCarrier | undefined;
  readonly reach: FallbackReach;
  budget: RetryBudget | undefined;
  readonly breakers: BreakerRegistry | undefined;
  readonly units: Units | undefined;
  /** Its last good answers, where they may stand in for failures. */
  readonly stale: StaleAnswers | undefined;
  /** Injected faults; undefined while there are none, which is all that attempts look at. */
  faults: FaultSet | undefined = undefined;
  /** Who sleeps or waits so; made for the first. */
  sleepers: Set<Sleeper> | undefined = undefined;
  /** Operations that have not settled. */
  inFlight = 0;
  /** Pieces of work that outlived their attempt and still hold a unit. */
  detached = 0;
  totals: Record<OperationOutcome, number> = noTotals();
  attempts = 0;
  retries = 0;

  constructor(options: ResolvedDependency, ports: RuntimePorts) {
    this.name = options.name;
    this.options = options;
    this.clock = ports.clock;
    this.random = ports.random;
    this.emit = ports.emit;
    this.#ids = ports.ids;
    this.phase = ports.phase;
    this.context = ports.context;
    this.reach = ports.reach;
    const { retry, breaker, bulkhead } = options;
    const key = retry?.budget?.key;
    this.#tenantKey = key === false ? undefined : key;
    this.budget = retry?.budget === undefined ? undefined : new RetryBudget(retry.budget);
    this.breakers = breaker === undefined ? undefined : new BreakerRegistry(breaker, options, ports);
    this.stale = StaleAnswers.of(options.fallback?.run, ports.clock);
    this.units = bulkhead === undefined ? undefined : new Units(bulkhead.concurrent, bulkhead.queue);
  }

  /** What a refusal by its breaker says: written once, for an outage is full of them. */
  get openMessage(): string {
    this.#openMessage ??= `The breaker of ${this.name} is open`;
    return this.#openMessage;
  }

  nextId(): number {
    this.#ids.last++;
    return this.#ids.last;
  }

  /** Whose part of the retry budget an operation draws on. */
  tenantOf(spec: Operation<unknown>): string | undefined {
    return this.#tenantKey === undefined ? undefined : nameTenant(this.#tenantKey, spec);
  }

  /** Time until the breaker may let a call pass, at least a second: Retry-After where nobody said. */
  retryAfterMs(breaker: BreakerHandle | undefined, now: number): number {
    return Math.max(1000, breaker?.machine.retryAfterMs(now) ?? 0);
  }

  /** Nothing injected any more. */
  dropFaults(): void {
    this.faults?.clear();
    this.faults = undefined;
  }

  /** Counts and budget as at the start. Between tests, while nothing is in flight. */
  reset(): void {
    this.dropFaults();
    const { retry } = this.options;
    this.budget = retry?.budget === undefined ? undefined : new RetryBudget(retry.budget);
    this.stale?.forget();
    this.totals = noTotals();
    this.attempts = 0;
    this.retries = 0;
  }

  /** Ends every sleep between attempts; their operations end with the failure they had. */
  stopSleepers(): void {
    for (const sleeper of [...(this.sleepers ?? [])]) sleeper.stop();
  }
}

function nameTenant(key: TenantKey, { options, operation }: Operation<unknown>): string | undefined {
  return key === true ? options.key : key({ key: options.key, operation });
}

function noTotals(): Record<OperationOutcome, number> {
  return { success: 0, degraded: 0, failed: 0, refused: 0, cancelled: 0 };
}
