import fc from 'fast-check';
import {
  BreakerMachine,
  type BreakerMachineOptions,
  type BreakerResult,
} from '../../src/algorithms/breaker.js';
import { seededRandom } from '../../src/index.js';

export const machineOptions: fc.Arbitrary<BreakerMachineOptions> = fc.record({
  window: fc.constantFrom<BreakerMachineOptions['window']>({ ms: 300 }, { ms: 1000 }, { calls: 3 }),
  minCalls: fc.integer({ min: 1, max: 4 }),
  failureRate: fc.constantFrom(undefined, 0.5, 0.8),
  consecutive: fc.constantFrom(undefined, 2, 3),
  slow: fc.constantFrom(undefined, { overMs: 50, rate: 0.5 }),
  openForMs: fc.constantFrom(50, 200),
  maxOpenForMs: fc.constantFrom(200, 1000),
  jitter: fc.constantFrom(0, 0.3),
  probes: fc.record({ count: fc.integer({ min: 1, max: 3 }), rate: fc.constantFrom(undefined, 0.5, 1) }),
  leaseMs: fc.constantFrom(60, 300),
  operationsWindow: fc.boolean(),
});

export interface Step {
  readonly act: 'admit' | 'end' | 'start' | 'finish' | 'force';
  readonly afterMs: number;
  readonly result: BreakerResult;
  readonly durationMs: number;
  readonly which: number;
  readonly force: 'forceOpen' | 'forceClose' | 'disable' | 'reset';
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(
    { weight: 8, arbitrary: fc.constant<'admit'>('admit') },
    { weight: 8, arbitrary: fc.constant<'end'>('end') },
    { weight: 2, arbitrary: fc.constant<'start'>('start') },
    { weight: 2, arbitrary: fc.constant<'finish'>('finish') },
    { weight: 1, arbitrary: fc.constant<'force'>('force') },
  ),
  afterMs: fc.oneof(fc.nat(20), fc.nat(80), fc.constantFrom(0, 0, 60, 200, 300, 1000)),
  result: fc.constantFrom('success', 'failure', 'failure', 'ignored'),
  durationMs: fc.constantFrom(1, 50, 51),
  which: fc.nat(7),
  force: fc.constantFrom('forceOpen', 'forceClose', 'disable', 'reset', 'forceClose', 'reset'),
});

export const steps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 20, maxLength: 60, size: 'max' });

/** A breaker and the moves it made. */
export class Recorded {
  readonly machine: BreakerMachine;
  readonly moves: string[] = [];

  constructor(options: BreakerMachineOptions, seed: number) {
    this.machine = new BreakerMachine(options, seededRandom(seed), (...move) =>
      this.moves.push(move.join(' ')),
    );
  }

  /** All that a reader sees, as text. */
  look(now: number): string {
    const { machine } = this;
    const { calls, failures, slow } = machine.tally(now);
    const operations = machine.operationTally(now)?.calls;
    const asked = [machine.wouldProbe(now), machine.refusesNow(now), machine.starved(now)];
    return [
      machine.state(now),
      machine.retryAfterMs(now),
      ...asked,
      calls,
      failures,
      slow,
      operations,
      JSON.stringify(machine.export(now, 1e12)),
    ].join();
  }
}

/** A call that was let in, or an operation that began: under which generation. */
export interface Begun {
  readonly ticket: number;
  readonly generation: number;
}
