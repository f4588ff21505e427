import { afterAll, describe, expect, test } from '@jest/globals';
import * as machine from '../../src/engine/machine.js';
import { AMPLE } from '../support/boxes.js';
import { allRigs, type StoreRig } from '../support/store-rigs.js';
import { type Action, type Event, interleavings, programOf, withLapses } from '../support/two-workers.js';

const { makers, dispose } = await allRigs();
afterAll(dispose, 30_000);

const CLAIM = { fingerprint: 'f', leaseMs: 600_000, ttlMs: 86_400_000 };
const PROGRAMS: readonly (readonly Action[])[] = [
  ['begin', 'renew', 'complete'],
  ['begin', 'checkpoint', 'release'],
];

/** The same history on the pure machine: what every store has to answer. */
class Model {
  record: machine.KeyRecord | undefined;
  now = 0;

  apply(event: Event): unknown {
    if (event === 'lapse') {
      this.now += CLAIM.leaseMs;
      return undefined;
    }
    const token = `t${event.who}`;
    const step = this.#step(event.action, token);
    this.record = step.record;
    return step.result;
  }

  #step(action: Action, token: string): machine.Step<unknown> {
    switch (action) {
      case 'begin':
        return machine.begin(this.record, { ...CLAIM, token }, this.now);
      case 'renew':
        return machine.renew(this.record, token, CLAIM.leaseMs, this.now);
      case 'checkpoint':
        return machine.checkpoint(this.record, token, 'c', `"${token}"`, this.now);
      case 'complete':
        return machine.complete(this.record, token, token, this.now);
      default:
        return machine.release(this.record, token, this.now);
    }
  }
}

async function apply(rig: StoreRig, key: string, event: Event): Promise<unknown> {
  if (event === 'lapse') return rig.lapse(key);
  const token = `t${event.who}`;
  switch (event.action) {
    case 'begin':
      return rig.store.begin(key, { ...CLAIM, token }, AMPLE);
    case 'renew':
      return rig.store.renew(key, token, CLAIM.leaseMs, AMPLE);
    case 'checkpoint':
      return rig.store.checkpoint(key, token, 'c', `"${token}"`, AMPLE);
    case 'complete':
      return rig.store.complete(key, token, token, AMPLE);
    default:
      return rig.store.release(key, token, AMPLE);
  }
}

/** How much of a lease is left depends on the moment. */
function comparable(result: unknown): unknown {
  const { kind } = (result ?? {}) as { kind?: string };
  return kind === 'in-progress' ? { kind } : result;
}

describe.each(makers)('the %s store', (_name, make) => {
  test('answers like the machine in every order of two workers, with the lease lapsing between any two steps', async () => {
    const rig = await make();
    let histories = 0;
    const check = async (events: readonly Event[]) => {
      const key = `k${histories++}`;
      const model = new Model();
      for (const [at, event] of events.entries()) {
        const [expected, got] = [model.apply(event), await apply(rig, key, event)];
        const said = event === 'lapse' ? undefined : comparable(got);
        if (JSON.stringify(said) !== JSON.stringify(comparable(expected))) {
          throw new Error(`step ${at} of ${JSON.stringify(events)}: ${JSON.stringify([expected, got])}`);
        }
      }
    };
    const all: (readonly Event[])[] = [];
    for (const first of PROGRAMS) {
      for (const second of PROGRAMS) {
        for (const order of interleavings(programOf(0, first), programOf(1, second)))
          all.push(...withLapses(order, 1));
      }
    }
    for (const events of all) await check(events);
    expect(histories).toBe(560);
    await rig.dispose();
  }, 120_000);
});
