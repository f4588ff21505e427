import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BreakerMachineOptions, BreakerResult } from '../../src/algorithms/breaker.js';
import type { Tally } from '../../src/algorithms/windows.js';
import { RUNS } from '../runs.js';
import { BreakerModel, type Pass } from './breaker-model.js';
import { Bench, DEFAULTS } from './breaker-set-up.js';

/** Time goes in steps of one bucket, so that a window of buckets holds exactly what a list of instants does. */
const BUCKET_MS = 100;

const optionsOf: fc.Arbitrary<BreakerMachineOptions> = fc.record({
  window: fc.constantFrom<BreakerMachineOptions['window']>(
    { ms: 10 * BUCKET_MS },
    { calls: 4 },
    { calls: 1 },
  ),
  minCalls: fc.integer({ min: 1, max: 6 }),
  failureRate: fc.constantFrom(undefined, 0.5, 1, 0.3),
  consecutive: fc.constantFrom(undefined, 1, 2, 3),
  slow: fc.constantFrom(undefined, { overMs: 50, rate: 0.5 }, { overMs: 50, rate: 1 }),
  openForMs: fc.constantFrom(BUCKET_MS, 3 * BUCKET_MS),
  maxOpenForMs: fc.constantFrom(3 * BUCKET_MS, 20 * BUCKET_MS),
  jitter: fc.constant(0),
  probes: fc.record({ count: fc.integer({ min: 1, max: 3 }), rate: fc.constantFrom(undefined, 0.5, 1) }),
  leaseMs: fc.constantFrom(3 * BUCKET_MS, 5 * BUCKET_MS),
  operationsWindow: fc.boolean(),
});

const ACTS = [
  'wait',
  'wait',
  'wait',
  'call',
  'fail',
  'fail',
  'admit',
  'admit',
  'end',
  'start',
  'finish',
  'force',
] as const;

const stepOf = fc.record({
  act: fc.constantFrom(...ACTS),
  buckets: fc.oneof({ weight: 3, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(15) }),
  result: fc.constantFrom<BreakerResult>('success', 'failure', 'failure', 'ignored'),
  durationMs: fc.constantFrom(10, 50, 51),
  which: fc.nat(50),
  force: fc.constantFrom<'forceOpen' | 'disable' | 'reset' | 'forceClose' | 'none'>(
    'forceOpen',
    'disable',
    'reset',
    'reset',
    'forceClose',
    'forceClose',
    'none',
    'none',
  ),
});
type Step = typeof stepOf extends fc.Arbitrary<infer S> ? S : never;

function counts(tally: Tally | undefined): string {
  return tally === undefined ? '0/0/0' : `${tally.calls}/${tally.failures}/${tally.slow}`;
}

/** Cheaper than an expectation where they differ in no case. */
function expectSame(seen: string, wanted: string): void {
  if (seen !== wanted) expect(seen).toBe(wanted);
}

/** Does the same to the breaker and to its model, and compares what both show after every step. */
class Pair {
  readonly bench: Bench;
  readonly model: BreakerModel;
  readonly running: { ticket: number; pass: Pass }[] = [];
  readonly operations: { generation: number; started: ReturnType<BreakerModel['startOperation']> }[] = [];
  now = 0;

  constructor(options: BreakerMachineOptions) {
    this.bench = new Bench(options);
    this.model = new BreakerModel(options);
  }

  take(step: Step): void {
    const { machine } = this.bench;
    const { act, result, durationMs, which } = step;
    if (act === 'wait') this.now += step.buckets * BUCKET_MS;
    else if (act === 'admit') this.#admit();
    else if (act === 'call' || act === 'fail') {
      this.#admit();
      this.#end(this.running.length - 1, act === 'fail' ? 'failure' : result, durationMs);
    } else if (act === 'end') this.#end(which % Math.max(1, this.running.length), result, durationMs);
    else if (act === 'start') {
      const started = this.model.startOperation(this.now);
      this.operations.push({ generation: machine.admitOperation(this.now), started });
    } else if (act === 'finish') this.#finish(result, durationMs);
    else if (step.force !== 'none') this.#force(step.force);
    this.#compare();
  }

  #admit(): void {
    const ticket = this.bench.machine.admit(this.now);
    const pass = this.model.admit(this.now);
    const wanted = pass === undefined ? 0 : pass.probe === undefined ? 1 : -1;
    expectSame(`${Math.sign(ticket)}`, `${wanted}`);
    if (pass !== undefined) this.running.push({ ticket, pass });
  }

  #end(index: number, result: BreakerResult, durationMs: number): void {
    // now and then the same end is reported twice
    const entry = this.running[index];
    if (entry === undefined) return;
    if (index % 7 !== 0) this.running.splice(index, 1);
    if (index % 7 === 0 && entry.ticket > 0) this.running.splice(index, 1);
    this.bench.machine.record(entry.ticket, result, durationMs, this.now);
    this.model.record(entry.pass, result, durationMs, this.now);
  }

  #finish(result: BreakerResult, durationMs: number): void {
    const entry = this.operations.shift();
    if (entry === undefined || (entry.generation === 0) !== (entry.started === undefined)) return;
    this.bench.machine.recordOperation(entry.generation, result, durationMs, this.now);
    this.model.recordOperation(entry.started, result, durationMs, this.now);
  }

  #force(how: Exclude<Step['force'], 'none'>): void {
    const names = {
      forceOpen: 'forced-open',
      disable: 'disabled',
      reset: 'closed',
      forceClose: 'closed',
    } as const;
    this.bench.machine[how](this.now);
    this.model.force(names[how], this.now, how === 'reset');
  }

  #compare(): void {
    const { machine } = this.bench;
    const { now } = this;
    const seen = () =>
      [
        machine.state(now),
        machine.wouldProbe(now),
        machine.refusesNow(now),
        machine.retryAfterMs(now),
        counts(machine.tally(now)),
        counts(machine.operationTally(now)),
      ].join(' ');
    const first = seen();
    expectSame(first, this.model.look(now).join(' '));
    // readers of other instants change nothing either
    for (const ahead of [1, 1e6]) {
      machine.state(now + ahead);
      machine.retryAfterMs(now + ahead);
      machine.tally(now + ahead);
    }
    expectSame(seen(), first);
  }

  /** Lets both do what is due, and compares every move they made. */
  finish(): void {
    this.#admit();
    expect(this.bench.moves).toEqual(this.model.moves);
  }
}

test('the breaker does what a plain history of everything says it should', () => {
  fc.assert(
    fc.property(
      optionsOf,
      fc.array(stepOf, { minLength: 20, maxLength: 80, size: 'max' }),
      (options, steps) => {
        const pair = new Pair(options);
        for (const step of steps) pair.take(step);
        pair.finish();
      },
    ),
    RUNS,
  );
});

test('a call and a whole operation that end at the same instant are told apart', () => {
  const pair = new Pair({
    ...DEFAULTS,
    window: { calls: 1 },
    minCalls: 1,
    failureRate: 1,
    jitter: 0,
    openForMs: BUCKET_MS,
    maxOpenForMs: 20 * BUCKET_MS,
    probes: { count: 1, rate: undefined },
    operationsWindow: true,
  });
  const step = (act: Step['act'], result: BreakerResult): Step => ({
    act,
    result,
    buckets: 1,
    durationMs: 10,
    which: 0,
    force: 'none',
  });
  for (const [act, result] of [
    ['fail', 'failure'],
    ['wait', 'success'],
    ['call', 'success'],
    ['start', 'success'],
    ['call', 'success'],
    ['finish', 'failure'],
  ] as const) {
    pair.take(step(act, result));
  }
  pair.finish();
  // the good call had filled the window of one, so the open time starts over
  expect(pair.bench.moves.at(-1)).toContain(`for ${BUCKET_MS}`);
});

test('whatever happens, no more probes run than there are places, and an idle open breaker always admits one', () => {
  fc.assert(
    fc.property(optionsOf, fc.array(stepOf, { maxLength: 60 }), (options, steps) => {
      const { machine } = new Bench(options);
      const running = new Map<number, number>();
      let now = 0;
      for (const { act, buckets, result, durationMs, which } of steps) {
        now += buckets * BUCKET_MS;
        for (const [ticket, since] of running) if (now - since >= options.leaseMs) running.delete(ticket);
        const ticket =
          act === 'end' ? [...running.keys()][which % Math.max(1, running.size)] : machine.admit(now);
        if (ticket === undefined || ticket === 0) continue;
        if (ticket < 0 && act === 'admit') running.set(ticket, now);
        else {
          machine.record(ticket, result, durationMs, now);
          running.delete(ticket);
        }
        if (machine.state(now) !== 'half-open') running.clear();
        expect(running.size).toBeLessThanOrEqual(options.probes.count);
      }
      now += options.maxOpenForMs + options.leaseMs;
      expect(machine.refusesNow(now)).toBe(false);
      expect(machine.admit(now)).not.toBe(0);
    }),
    RUNS,
  );
});

test('with spread, the same draws give the same moves, whoever reads in between', () => {
  fc.assert(
    fc.property(optionsOf, fc.array(stepOf, { maxLength: 60 }), fc.integer(), (options, steps, seed) => {
      const run = (reads: boolean): readonly string[] => {
        let state = seed >>> 0;
        const random = () => {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
          return state / 2 ** 32;
        };
        const bench = new Bench({ ...options, jitter: 0.3 }, random);
        const tickets: number[] = [];
        let now = 0;
        for (const { act, buckets, result, durationMs, which } of steps) {
          now += buckets * 37;
          if (act === 'end')
            bench.machine.record(tickets[which % Math.max(1, tickets.length)] ?? 0, result, durationMs, now);
          else tickets.push(bench.machine.admit(now));
          for (let ahead = 0; reads && ahead < 3; ahead++) {
            bench.machine.state(now + ahead * 500);
            bench.machine.retryAfterMs(now + ahead * 500);
          }
        }
        return bench.moves;
      };
      expect(run(true)).toEqual(run(false));
    }),
    RUNS,
  );
});

test('a breaker starts closed, with nothing recorded', () => {
  const { machine } = new Bench(DEFAULTS);
  expect([machine.state(0), machine.retryAfterMs(0), machine.tally(0).calls]).toEqual(['closed', 0, 0]);
});
