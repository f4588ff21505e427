import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BreakerMachineOptions } from '../../src/algorithms/breaker.js';
import { createSpillway, VirtualClock } from '../../src/index.js';
import { RUNS } from '../runs.js';
import { type Begun, machineOptions, Recorded, type Step, steps } from './breaker.js';

/** Two breakers of one history, of which one never hears of results that come too late for their generation. */
class Twins {
  readonly told: Recorded;
  readonly spared: Recorded;
  readonly #running: Begun[] = [];
  readonly #operations: Begun[] = [];
  now = 0;
  late = 0;
  halfOpen = false;

  constructor(options: BreakerMachineOptions, seed: number) {
    this.told = new Recorded(options, seed);
    this.spared = new Recorded(options, seed);
  }

  take(step: Step): void {
    this.now += step.afterMs;
    if (step.act === 'admit') this.#admit();
    else if (step.act === 'end') this.#end(step);
    else if (step.act === 'start') this.#start();
    else if (step.act === 'finish') this.#finish(step);
    else for (const { machine } of this.both) machine[step.force](this.now);
    if (this.told.machine.state(this.now) === 'half-open') this.halfOpen = true;
  }

  get both(): readonly Recorded[] {
    return [this.told, this.spared];
  }

  #admit(): void {
    const [ticket, other] = this.both.map(({ machine }) => machine.admit(this.now)) as [number, number];
    if (ticket !== other) expect(ticket).toBe(other);
    if (ticket !== 0) this.#running.push({ ticket, generation: this.spared.machine.generation });
  }

  #start(): void {
    const [ticket] = this.both.map(({ machine }) => machine.admitOperation(this.now)) as [number];
    this.#operations.push({ ticket, generation: this.spared.machine.generation });
  }

  #end({ which, result, durationMs }: Step): void {
    const begun = this.#running[which % Math.max(1, this.#running.length)];
    if (begun === undefined) return;
    // now and then the same end is reported twice
    if (which !== 0) this.#running.splice(this.#running.indexOf(begun), 1);
    this.told.machine.record(begun.ticket, result, durationMs, this.now);
    if (this.#isCurrent(begun)) this.spared.machine.record(begun.ticket, result, durationMs, this.now);
  }

  #finish({ result, durationMs }: Step): void {
    const begun = this.#operations.shift();
    if (begun === undefined) return;
    this.told.machine.recordOperation(begun.ticket, result, durationMs, this.now);
    if (this.#isCurrent(begun))
      this.spared.machine.recordOperation(begun.ticket, result, durationMs, this.now);
  }

  #isCurrent({ generation }: Begun): boolean {
    const isCurrent = generation === this.spared.machine.generation;
    if (!isCurrent) this.late++;
    return isCurrent;
  }
}

describe('a breaker', () => {
  test('is changed in nothing by results of an earlier generation', () => {
    const counts = { runs: 0, late: 0, halfOpen: 0 };
    fc.assert(
      fc.property(machineOptions, steps, fc.integer(), (options, taken, seed) => {
        const twins = new Twins(options, seed);
        for (const step of taken) {
          twins.take(step);
          const [seen, wanted] = twins.both.map((one) => one.look(twins.now));
          if (seen !== wanted) expect(seen).toBe(wanted);
        }
        for (const { machine } of twins.both) machine.admit(twins.now);
        if (twins.told.moves.join() !== twins.spared.moves.join())
          expect(twins.told.moves).toEqual(twins.spared.moves);
        counts.runs++;
        if (twins.late > 0) counts.late++;
        if (twins.halfOpen) counts.halfOpen++;
      }),
      RUNS,
    );
    expect(counts.late).toBeGreaterThan(counts.runs / 5);
    expect(counts.halfOpen).toBeGreaterThan(counts.runs / 5);
  }, 120_000);

  test('is changed in nothing by whoever reads, of whatever instant', () => {
    fc.assert(
      fc.property(machineOptions, steps, fc.integer(), (options, taken, seed) => {
        const looked = new Twins(options, seed);
        const alone = new Twins(options, seed);
        for (const step of taken) {
          looked.take(step);
          alone.take(step);
          for (const ahead of [0, 1e6]) looked.told.look(looked.now + ahead);
          // before somebody calls, no reader has made it move
          if (looked.told.moves.length !== alone.told.moves.length)
            expect(looked.told.moves).toEqual(alone.told.moves);
        }
        const [seen, wanted] = [looked, alone].map((one) =>
          [one.told.look(one.now), ...one.told.moves].join(),
        );
        expect(seen).toBe(wanted);
      }),
      RUNS,
    );
  }, 120_000);

  test('takes back the place of a probe that has not ended by its lease, and does not hear of its end', () => {
    fc.assert(
      fc.property(
        machineOptions,
        fc.integer(),
        fc.array(fc.nat(40), { maxLength: 3 }),
        (options, seed, waits) => {
          const strict = {
            ...options,
            consecutive: 2,
            probes: { count: options.probes.count, rate: undefined },
          };
          const { machine, moves } = new Recorded({ ...strict, jitter: 0 }, seed);
          for (const ticket of [machine.admit(0), machine.admit(0)]) machine.record(ticket, 'failure', 1, 0);
          const first = options.openForMs;
          const probes = [machine.admit(first)];
          let now = first;
          for (const wait of waits) {
            now += wait;
            if (now < first + options.leaseMs && machine.wouldProbe(now)) probes.push(machine.admit(now));
          }
          const lapsesAt = first + options.leaseMs;
          expect(machine.state(lapsesAt - 1)).toBe('half-open');
          expect(machine.state(lapsesAt)).toBe('open');
          const openMs = Math.min(options.maxOpenForMs, 2 * options.openForMs);
          expect(machine.retryAfterMs(lapsesAt)).toBe(openMs);
          for (const probe of probes) machine.record(probe, 'success', 1, lapsesAt + 1);
          expect([machine.state(lapsesAt + 1), moves.length]).toEqual(['open', 3]);
          expect(machine.admit(lapsesAt + openMs)).toBeLessThan(0);
        },
      ),
      RUNS,
    );
  }, 120_000);

  test('of a dependency leases its probes for the longer of open time and attempt timeout + 1 s', async () => {
    let lapsed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4000 }),
        fc.integer({ min: 1, max: 4000 }),
        async (openFor, timeout) => {
          const clock = new VirtualClock();
          const open = { openFor, maxOpenFor: 60_000, jitter: 0, consecutive: 1, probes: 1 };
          const breaker = { ...open, observes: 'operations' } as const;
          const rest = { deadline: 600_000, bulkhead: false, retry: { attempts: 2, budget: false } } as const;
          const dep = createSpillway<{ dep: unknown }>(
            { strict: false, dependencies: { dep: { ...rest, breaker, attempt: { timeout, min: 0 } } } },
            { clock, random: () => 0 },
          ).dependency('dep');
          const bad = async () => {
            throw new Error('down');
          };
          const hang = () => new Promise(() => undefined);
          await dep.settle(bad);
          clock.tick(openFor);
          // a probe that is a whole operation may outlast the timeout of its attempts
          const probe = dep.settle(hang, { idempotent: true, retry: { attempts: 2 } });
          const leaseMs = Math.max(openFor, timeout + 1000);
          const states = [dep.breaker.state];
          await clock.advance(Math.min(leaseMs, 2 * timeout) - 1);
          states.push(dep.breaker.state);
          if (leaseMs < 2 * timeout) {
            await clock.advance(1);
            states.push(dep.breaker.state);
            lapsed++;
          }
          expect(states).toEqual(['half-open', 'half-open', 'open'].slice(0, states.length));
          await clock.runToIdle();
          expect((await probe).ok).toBe(false);
        },
      ),
      RUNS,
    );
    expect(lapsed).toBeGreaterThan(RUNS.numRuns / 10);
  }, 120_000);
});
