import type { ResolvedInbound } from '../config/resolved.js';
import type { FanOut } from '../telemetry/fan-out.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import { DeadlineHeaders } from './deadline-headers.js';
import { Gate } from './gate.js';
import { RefusalProblems } from './refusal-problems.js';
import type { EventLoop } from './turn-sampler.js';

export interface InboundPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: FanOut;
  /** Named in problem details. */
  readonly service: string;
  /** Default: the process's own event loop. */
  readonly loop?: EventLoop;
}

/** What all requests of one spillway share. */
export class InboundRuntime {
  readonly options: ResolvedInbound;
  readonly clock: Clock;
  readonly emit: FanOut;
  readonly service: string;
  readonly deadlines: DeadlineHeaders;
  readonly refusals: RefusalProblems;
  gate: Gate | undefined;
  draining = false;
  /** Requests that came while draining. */
  drained = 0;
  /** Handlers that run on after their 504 and still hold a place. */
  detached = 0;
  readonly #random: Random;
  readonly #loop: EventLoop;

  constructor(options: ResolvedInbound, ports: InboundPorts, loop: EventLoop) {
    this.options = options;
    this.clock = ports.clock;
    this.emit = ports.emit;
    this.service = ports.service;
    this.#random = ports.random;
    this.#loop = loop;
    this.refusals = new RefusalProblems(ports.service);
    this.deadlines = new DeadlineHeaders(options.deadline.headers);
    this.gate = this.#makeGate();
  }

  /** A gate that has learnt nothing. Requests that are at the present one come in there, and leave that one. */
  replaceGate(): void {
    this.gate?.open();
    this.gate = this.#makeGate();
  }

  #makeGate(): Gate | undefined {
    const { concurrency } = this.options;
    if (concurrency === undefined) return undefined;
    const { clock } = this;
    return new Gate(concurrency, { clock, random: this.#random, loop: this.#loop });
  }
}
