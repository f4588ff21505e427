import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { memoryStore } from '@spillway/idempotency/memory';
import { manualClock } from '@spillway/testing';
import { createIdempotency } from '../../src/index.js';
import { build, type ServerProcess, type SharedStore, sharedStores } from '../support/processes.js';
import { eventually, post } from '../support/wire.js';

const { makers, dispose } = await sharedStores();
const open: SharedStore[] = [];
beforeAll(build, 120_000);
afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.dispose()));
});
afterAll(dispose, 30_000);

const LEASE_MS = 3_000;

/** Kills the server in the middle of its handler; when the key was claimed, at the latest. */
async function dieInTheMiddle(shared: SharedStore, server: ServerProcess): Promise<number> {
  const headers = { 'x-mode': 'kill-in-the-middle', 'x-once': `${String(shared.config['effects'])}.once` };
  const claimedAt = Date.now();
  await expect(post(`${server.url}/pay`, 'K', { amount: 5 }, { headers })).rejects.toThrow();
  await eventually('the server is dead', () => !server.alive);
  return claimedAt;
}

describe('a process that dies', () => {
  test.each(makers)(
    'C-080 a key of a killed process on %s is refused until its lease ends, then runs from its checkpoint',
    async (_name, make) => {
      const shared = await make();
      open.push(shared);
      const [dying, other] = await Promise.all([
        shared.server({ lease: LEASE_MS }),
        shared.server({ lease: LEASE_MS }),
      ]);
      const claimedAt = await dieInTheMiddle(shared, dying);
      const refused = await post(`${other.url}/pay`, 'K', { amount: 5 });
      expect([refused.status, refused.headers['retry-after'] === undefined]).toEqual([409, false]);
      await eventually(
        'the lease ends',
        async () => (await post(`${other.url}/pay`, 'K', { amount: 5 })).status === 201,
        20_000,
      );
      expect(Date.now() - claimedAt).toBeGreaterThanOrEqual(LEASE_MS - 5);
      const replay = await post(`${other.url}/pay`, 'K', { amount: 5 });
      expect([replay.json()['attempt'], replay.headers['idempotent-replayed']]).toEqual([2, 'true']);
      expect([shared.effects.runs(), shared.effects.payments()]).toEqual([2, 1]);

      // A living handler of three leases keeps its key.
      const headers = { 'x-mode': 'slow', 'x-ms': String(3 * LEASE_MS) };
      const slow = post(`${other.url}/pay`, 'slow', { amount: 6 }, { headers });
      await eventually('it runs', () => shared.effects.runs() === 3);
      let answered = false;
      void slow.then(() => {
        answered = true;
      });
      while (!answered) {
        const again = await post(`${other.url}/pay`, 'slow', { amount: 6 });
        if (!answered) expect(again.status).toBe(409);
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      expect((await slow).status).toBe(201);
      expect(shared.effects.runs()).toBe(3);
    },
    90_000,
  );

  test('a side effect that was marked as done is not repeated, one without a mark is', async () => {
    const clock = manualClock();
    const idempotency = createIdempotency({ store: memoryStore({ clock }), clock });
    const effects: string[] = [];
    let marks = true;
    const charge = () =>
      idempotency.run('order-1', {}, async (run) => {
        if (run.saved('charged') === undefined) {
          effects.push('charged');
          if (marks) await run.checkpoint('charged', { id: 'ch_1' });
        }
        if (effects.length < 3 && run.attempt === 1) throw new Error('mail server down');
        return run.saved('charged') ?? 'unmarked';
      });
    await expect(charge()).rejects.toThrow('mail server down');
    expect((await charge()).value).toEqual({ id: 'ch_1' });
    expect(effects).toEqual(['charged']);
    marks = false;
    const unmarked = createIdempotency({ store: memoryStore({ clock }), clock });
    let runs = 0;
    const once = () =>
      unmarked.run('order-2', {}, () => {
        runs++;
        if (runs === 1) throw new Error('after the effect');
        return runs;
      });
    await expect(once()).rejects.toThrow('after the effect');
    expect((await once()).value).toBe(2);
  });
});
