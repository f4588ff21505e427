import { describe, expect, test } from '@jest/globals';
import * as machine from '../../src/engine/machine.js';
import { type Action, type Event, interleavings, programOf, withLapses } from '../support/two-workers.js';

const LEASE = 30;
const TTL = 1_000;

/** What one worker believes and has done. */
interface Worker {
  readonly token: string;
  running: boolean;
  effects: number;
  ended: boolean;
}

interface World {
  record: machine.KeyRecord | undefined;
  now: number;
  lapsed: boolean;
  /** Whose answer was stored. */
  answered: string | undefined;
  readonly workers: readonly [Worker, Worker];
}

function newWorld(): World {
  const worker = (token: string): Worker => ({ token, running: false, effects: 0, ended: false });
  return {
    record: undefined,
    now: 0,
    lapsed: false,
    answered: undefined,
    workers: [worker('a'), worker('b')],
  };
}

function take(world: World, { record }: { record: machine.KeyRecord | undefined }): void {
  world.record = record;
}

/** Runs one event; a worker that was not given the key, or has been refused, does nothing more. */
function step(world: World, event: Event): void {
  if (event === 'lapse') {
    world.now += LEASE;
    world.lapsed = true;
    return;
  }
  const worker = world.workers[event.who];
  if (event.action === 'begin') {
    begin(world, worker);
    return;
  }
  if (!worker.running) return;
  const before = world.record;
  const owns = before?.state === 'running' && before.token === worker.token;
  const accepted = act(world, worker, event.action);
  if (event.action !== 'effect' && accepted !== owns) throw new Error(`accepted ${accepted}, owns ${owns}`);
  if (!accepted && world.record !== before) throw new Error('a refused step changed the record');
  if (!accepted) worker.running = false;
}

function begin(world: World, worker: Worker): void {
  const claim = { fingerprint: 'f', token: worker.token, leaseMs: LEASE, ttlMs: TTL };
  const { record, result } = machine.begin(world.record, claim, world.now);
  const before = world.record;
  world.record = record;
  worker.running = result.kind === 'run';
  if (result.kind === 'replay' && result.answer !== world.answered)
    throw new Error('replayed another answer');
  const alive = before?.state === 'running' && before.leaseUntil > world.now;
  if (alive && result.kind !== 'in-progress') throw new Error('a living lease was not respected');
}

function act(world: World, worker: Worker, action: Exclude<Action, 'begin'>): boolean {
  switch (action) {
    case 'effect':
      worker.effects++;
      return true;
    case 'renew': {
      const step = machine.renew(world.record, worker.token, LEASE, world.now);
      take(world, step);
      return step.result;
    }
    case 'checkpoint': {
      const step = machine.checkpoint(world.record, worker.token, 'c', '1', world.now);
      take(world, step);
      return step.result;
    }
    case 'complete': {
      const step = machine.complete(world.record, worker.token, worker.token, world.now);
      take(world, step);
      if (step.result && world.answered !== undefined) throw new Error('answered twice');
      if (step.result) world.answered = worker.token;
      worker.ended = true;
      worker.running = false;
      return step.result;
    }
    case 'release': {
      const step = machine.release(world.record, worker.token, world.now);
      take(world, step);
      worker.ended = true;
      worker.running = false;
      return step.result;
    }
  }
}

function check(events: readonly Event[]): World {
  const world = newWorld();
  for (const event of events) step(world, event);
  const [a, b] = world.workers;
  const released = events.some((event) => event !== 'lapse' && event.action === 'release');
  if (!world.lapsed && !released && a.effects + b.effects > 1) throw new Error('two effects without a lapse');
  return world;
}

const ENDS: readonly (readonly Action[])[] = [
  ['begin', 'checkpoint', 'renew', 'effect', 'complete'],
  ['begin', 'renew', 'effect', 'release'],
  ['begin', 'effect', 'checkpoint', 'complete', 'complete'],
  ['begin', 'effect', 'complete', 'release', 'renew'],
];

describe('two workers on one key', () => {
  test('no order of their steps, with the lease lapsing between any two, breaks an owner’s right', () => {
    let histories = 0;
    for (const first of ENDS) {
      for (const second of ENDS) {
        for (const order of interleavings(programOf(0, first), programOf(1, second))) {
          for (const events of withLapses(order, 2)) {
            check(events);
            histories++;
          }
        }
      }
    }
    expect(histories).toBeGreaterThan(50_000);
  });

  test('a machine without a fencing token would be caught by this check', () => {
    const late: Event[] = [
      { who: 0, action: 'begin' },
      'lapse',
      { who: 1, action: 'begin' },
      { who: 0, action: 'complete' },
    ];
    const world = newWorld();
    for (const event of late.slice(0, 3)) step(world, event);
    const stolen = { ...(world.record as machine.KeyRecord), token: 'a' };
    const forged = machine.complete(stolen, 'a', 'a', world.now);
    expect(forged.result).toBe(true);
    expect(machine.complete(world.record, 'a', 'a', world.now).result).toBe(false);
  });
});

describe('the table of what a newcomer is told', () => {
  const claim = (token: string, fingerprint = 'f') => ({
    fingerprint,
    token,
    leaseMs: 90_000,
    ttlMs: 86_400_000,
  });
  const running = machine.begin(undefined, claim('t1'), 0).record;

  test('a lease of 90 s refuses a duplicate at 89 s and lets it run at 91 s under a new token', () => {
    expect(machine.begin(running, claim('t2'), 89_000).result).toEqual({
      kind: 'in-progress',
      leaseLeftMs: 1_000,
    });
    const taken = machine.begin(running, claim('t2'), 91_000);
    expect(taken.result).toEqual({ kind: 'run', attempt: 2, recovered: true, checkpoints: {} });
    expect(machine.complete(taken.record, 't1', 'late', 92_000)).toEqual({
      record: taken.record,
      result: false,
    });
  });

  test('the lease ends at its last instant exactly', () => {
    expect(machine.begin(running, claim('t2'), 89_999).result.kind).toBe('in-progress');
    expect(machine.begin(running, claim('t2'), 90_000).result.kind).toBe('run');
  });

  test('another payload is refused in every live state, before the state is looked at', () => {
    const completed = machine.complete(running, 't1', 'x', 1).record;
    const noted = machine.checkpoint(running, 't1', 'c', '1', 1).record;
    const retryable = machine.release(noted, 't1', 2).record;
    for (const record of [running, completed, retryable]) {
      expect(machine.begin(record, claim('t2', 'other'), 3)).toEqual({
        record,
        result: { kind: 'mismatch' },
      });
    }
  });

  test('a record past its expiry is none: another payload may have the key', () => {
    const completed = machine.complete(running, 't1', 'x', 1).record;
    expect(machine.begin(completed, claim('t2', 'other'), 86_400_000).result.kind).toBe('run');
    expect(machine.complete(running, 't1', 'x', 86_400_000).result).toBe(false);
  });

  test('a released key with checkpoints keeps them for the next run, one without leaves nothing', () => {
    expect(machine.release(running, 't1', 1)).toEqual({ record: undefined, result: true });
    const noted = machine.checkpoint(running, 't1', 'charged', '"ch_1"', 1).record;
    const kept = machine.release(noted, 't1', 2).record;
    expect(machine.begin(kept, claim('t2'), 3).result).toEqual({
      kind: 'run',
      attempt: 2,
      recovered: true,
      checkpoints: { charged: '"ch_1"' },
    });
  });

  test('renewing never shortens a lease, and keeps the record at least as long', () => {
    const renewed = machine.renew(running, 't1', 10, 5).record;
    expect(renewed?.leaseUntil).toBe(90_000);
    const late = machine.renew(running, 't1', 90_000, 86_399_999).record;
    expect(late).toMatchObject({ leaseUntil: 86_489_999, expiresAt: 86_489_999 });
  });
});
