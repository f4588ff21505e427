import { after, retryAfterSeconds } from '@spillway/core';
import type { ResolvedFault, ResolvedRestart } from '../scenario/resolved.js';
import { ErrorAnswer, REFUSED, RESET } from './answer.js';
import type { Caller } from './caller.js';
import { Faults } from './faults.js';
import type { ServicePorts } from './guard.js';
import { Instance } from './instance.js';

/** A service of the world: its instances, the balancer before them, and what goes wrong. */
export class SimService {
  readonly name: string;
  readonly ports: ServicePorts;
  readonly instances: readonly Instance[];
  readonly #faults: Faults;
  #turn = 0;

  constructor(ports: ServicePorts) {
    this.name = ports.name;
    this.ports = ports;
    this.#faults = new Faults(ports.spec.faults, ports.random);
    this.instances = Array.from(
      { length: ports.spec.instances },
      (_, index) => new Instance(ports, this.#faults, index),
    );
    for (const restart of ports.spec.restarts) this.#schedule(restart);
  }

  take(caller: Caller): void {
    const fault = this.#faults.hitting(this.ports.clock.now());
    const instance = fault === undefined ? this.#next() : undefined;
    if (fault !== undefined) this.#hit(fault, caller);
    else if (instance === undefined) caller.broken(REFUSED);
    else instance.take(caller);
  }

  /** Requests in work and waiting, of all instances. */
  get load(): { readonly inWork: number; readonly queued: number } {
    let inWork = 0;
    let queued = 0;
    for (const instance of this.instances) {
      inWork += instance.inWork;
      queued += instance.queued;
    }
    return { inWork, queued };
  }

  /** One after another, those that are down left out, as a balancer with health checks does. */
  #next(): Instance | undefined {
    const { length } = this.instances;
    for (let i = 0; i < length; i++) {
      const instance = this.instances[(this.#turn + i) % length];
      if (instance?.up !== true) continue;
      this.#turn = (this.#turn + i + 1) % length;
      return instance;
    }
    return undefined;
  }

  #hit({ kind, status, retryAfter, after: ms }: ResolvedFault, caller: Caller): void {
    this.ports.stats.requests++;
    this.ports.stats.faulted++;
    if (kind === 'hang') return;
    const end =
      kind === 'reset' || kind === 'refuse'
        ? () => caller.broken(kind === 'reset' ? RESET : REFUSED)
        : () => caller.answered(new ErrorAnswer(status, { retryAfter: wholeSeconds(retryAfter) }));
    if (ms === 0) end();
    else
      after(this.ports.clock, ms, () => {
        if (!caller.gone) end();
      });
  }

  #schedule({ at, down, cold, rolling }: ResolvedRestart): void {
    const { clock } = this.ports;
    for (const [index, instance] of this.instances.entries()) {
      const from = at + rolling * index;
      after(clock, from - clock.now(), () => instance.crash());
      after(clock, from + down - clock.now(), () => instance.boot(cold));
    }
  }
}

function wholeSeconds(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : retryAfterSeconds(ms);
}
