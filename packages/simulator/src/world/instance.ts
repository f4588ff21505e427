import { after, type Clock, type InboundGate, type RequestCall } from '@spillway/core';
import { type Answer, ErrorAnswer, OK, RESET } from './answer.js';
import type { Caller } from './caller.js';
import { coldness, type Faults } from './faults.js';
import { Fifo } from './fifo.js';
import { Guard, type ServicePorts } from './guard.js';
import { Visit } from './visit.js';

const OVERFULL: Answer = new ErrorAnswer(503);
const TOO_LATE: Answer = new ErrorAnswer(504);

/** One running copy of a service: places to work, a queue in front of them, and its own Spillway. */
export class Instance {
  readonly #ports: ServicePorts;
  readonly #index: number;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #queue: Fifo<Visit> = new Fifo();
  /** What a crash breaks; kept only where the scenario restarts. */
  readonly #inside: Set<Visit> | undefined;
  #guard: Guard | undefined;
  #inWork = 0;
  #upSince = Number.NEGATIVE_INFINITY;
  #cold: { readonly for: number; readonly factor: number } | undefined;
  up = true;

  constructor(ports: ServicePorts, faults: Faults, index: number) {
    this.#ports = ports;
    this.#index = index;
    this.#clock = ports.clock;
    this.#faults = faults;
    this.#inside = ports.spec.restarts.length > 0 ? new Set() : undefined;
    this.#guard = Guard.of(ports, index);
  }

  get inWork(): number {
    return this.#inWork;
  }

  get queued(): number {
    return this.#queue.size;
  }

  get guard(): Guard | undefined {
    return this.#guard;
  }

  take(caller: Caller): void {
    const now = this.#clock.now();
    const call = this.#guard?.callFor(caller, now);
    const visit = new Visit(caller, this, now, call);
    this.#inside?.add(visit);
    this.#ports.stats.requests++;
    if (call !== undefined && call.answerBy < Number.POSITIVE_INFINITY) this.#bound(visit, call, now);
    const gate: InboundGate | undefined = this.#guard?.gate;
    if (gate === undefined || gate.enter(visit, now) === 'admitted') this.admitted(visit);
  }

  /** Past the gate: to work, or into the queue, or away. */
  admitted(visit: Visit): void {
    const { capacity, queue } = this.#ports.spec;
    if (this.#inWork < capacity) this.#start(visit);
    else if (this.#queue.size < queue) {
      visit.phase = 'queued';
      this.#queue.add(visit);
      this.#ports.stats.sawQueue(this.#queue.size);
    } else this.refuse(visit, 'queue full', OVERFULL);
  }

  /** Its own part of the work is done. */
  worked(visit: Visit): void {
    if (this.#ports.spec.calls.length === 0 || this.#guard === undefined) {
      this.#finish(visit, OK);
      return;
    }
    visit.phase = 'calling';
    this.#guard.callOthers(visit).then(
      (answer) => this.#finish(visit, answer),
      () => this.#finish(visit, new ErrorAnswer(500)),
    );
  }

  waitedTooLong(visit: Visit): void {
    this.#guard?.gate?.waitedTooLong(visit, this.#clock.now());
  }

  /** Answers without working. */
  refuse(visit: Visit, reason: string, answer: Answer): void {
    if (visit.phase === 'done') return;
    this.#ports.stats.refused(reason);
    this.#deliver(visit, answer);
    this.#over(visit);
  }

  /** The caller has left. */
  onGone(visit: Visit): void {
    const { phase } = visit;
    if (phase === 'done') return;
    if (visit.place === 'waiting') {
      this.#guard?.gate?.withdraw(visit);
      this.#over(visit);
      return;
    }
    this.#guard?.cancel(visit);
    if (this.#ports.spec.whenGone === 'finish') return;
    if (phase === 'queued') {
      this.#queue.remove(visit);
      this.#over(visit);
    } else if (phase === 'working') {
      this.#clock.disarm(visit);
      this.#finish(visit, OK);
    }
  }

  /** Goes down: whatever is inside breaks. */
  crash(): void {
    this.up = false;
    for (const visit of this.#inside ?? []) {
      this.#clock.disarm(visit);
      this.#queue.remove(visit);
      const { phase } = visit;
      visit.phase = 'done';
      if (phase === 'working' || phase === 'calling') this.#inWork--;
      if (!visit.answered && !visit.caller.gone) visit.caller.broken(RESET);
      visit.answered = true;
      if (visit.answerTimer !== undefined) this.#clock.disarm(visit.answerTimer);
    }
    this.#inside?.clear();
    this.#guard?.close();
  }

  /** Comes up again: with new policies that know nothing, and cold. */
  boot(cold: { readonly for: number; readonly factor: number } | undefined): void {
    this.#guard = Guard.of(this.#ports, this.#index);
    this.#cold = cold;
    this.#upSince = this.#clock.now();
    this.up = true;
  }

  #start(visit: Visit): void {
    const now = this.#clock.now();
    const { stats, draw, random } = this.#ports;
    visit.phase = 'working';
    visit.startedAt = now;
    stats.sawWork(++this.#inWork);
    const ms = draw(random) * this.#faults.slowness(now) * coldness(this.#cold, now - this.#upSince);
    if (ms > 0) this.#clock.arm(visit, ms);
    else this.worked(visit);
  }

  #finish(visit: Visit, answer: Answer): void {
    if (visit.phase === 'done') return;
    this.#inWork--;
    this.#deliver(visit, answer);
    if (visit.caller.gone) {
      const ms = this.#clock.now() - visit.startedAt;
      this.#ports.stats.wasted(ms);
      visit.caller.wasted(ms);
    }
    this.#over(visit);
    const next = this.#inWork < this.#ports.spec.capacity ? this.#queue.shift() : undefined;
    if (next !== undefined) this.#start(next);
  }

  #deliver(visit: Visit, answer: Answer): void {
    if (visit.answered) return;
    visit.answered = true;
    this.#ports.stats.answered(answer.status, this.#clock.now() - visit.arrivedAt);
    if (!visit.caller.gone) visit.caller.answered(answer);
  }

  #over(visit: Visit): void {
    visit.phase = 'done';
    this.#inside?.delete(visit);
    if (visit.answerTimer !== undefined) this.#clock.disarm(visit.answerTimer);
    this.#guard?.gate?.leave(visit, visit.caller.gone ? 'ignored' : 'success', this.#clock.now());
  }

  #bound(visit: Visit, call: RequestCall, now: number): void {
    visit.answerTimer = after(this.#clock, call.answerBy - now, () => {
      if (visit.phase === 'done') return;
      this.#ports.stats.late++;
      this.#deliver(visit, TOO_LATE);
    });
  }
}
