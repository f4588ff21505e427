import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { FRAMEWORKS } from '../support/frameworks.js';
import { Bench } from '../support/matrix.js';
import { build, type SharedStore, sharedStores } from '../support/processes.js';
import { memoryRig } from '../support/store-rigs.js';
import { eventually, gate, post, type WireAnswer } from '../support/wire.js';

const { makers, dispose } = await sharedStores();
const open: SharedStore[] = [];
const bench = new Bench();
beforeAll(build, 120_000);
afterEach(async () => {
  await bench.close();
  await Promise.all(open.splice(0).map((store) => store.dispose()));
});
afterAll(dispose, 30_000);

const REQUESTS = 50;

function statuses(answers: readonly WireAnswer[]) {
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  return { created: count(201), conflicts: count(409) };
}

/**
 * 50 equal requests at once: one run. The rest are told to come back, or wait and are given its answer.
 * @param letGo lets the one that runs answer
 */
async function contested(
  urls: readonly string[],
  headers: Record<string, string>,
  runs: () => number,
  letGo: () => void,
  waiting: boolean,
): Promise<void> {
  let answered = 0;
  const requests = Array.from({ length: REQUESTS }, async (_, i) => {
    const answer = await post(urls[i % urls.length] as string, 'K', { amount: 5 }, { headers });
    answered++;
    return answer;
  });
  if (waiting) await eventually('one runs', () => runs() === 1, 20_000);
  else await eventually('all but one are answered', () => answered === REQUESTS - 1, 20_000);
  letGo();
  const answers = await Promise.all(requests);
  expect(runs()).toBe(1);
  if (waiting) {
    expect(statuses(answers)).toEqual({ created: REQUESTS, conflicts: 0 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(
      REQUESTS - 1,
    );
  } else {
    expect(statuses(answers)).toEqual({ created: 1, conflicts: REQUESTS - 1 });
    const told = answers
      .filter(({ status }) => status === 409)
      .map(({ headers }) => Number(headers['retry-after']));
    expect(Math.min(...told)).toBeGreaterThanOrEqual(1);
  }
  const later = await post(urls[0] as string, 'K', { amount: 5 });
  expect([later.status, later.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(runs()).toBe(1);
}

const stores: readonly (readonly [string, (() => Promise<SharedStore>) | undefined])[] = [
  ['memory', undefined],
  ...makers,
];
const cases = stores.flatMap(([name, make]) => [
  [name, 'refused', false, make] as const,
  [name, 'given its answer', true, make] as const,
]);

describe('one key, many requests', () => {
  test.each(cases)(
    'C-075 of 50 parallel equal requests on %s one runs, the rest are %s',
    async (_name, _how, waiting, make) => {
      const wait = waiting ? '20s' : false;
      if (make === undefined) {
        for (const [, framework] of FRAMEWORKS) {
          const { store } = await bench.rig(memoryRig);
          const finish = gate();
          const app = await bench.serve(framework, { store, wait }, async ({ send }) => {
            await finish.opened;
            return send(201, {}, { done: true });
          });
          await contested([`${app.url}/pay`], {}, app.runs, finish.open, waiting);
        }
        return;
      }
      const shared = await make();
      open.push(shared);
      const servers = await Promise.all([
        shared.server({ wait, lease: '30s' }),
        shared.server({ wait, lease: '30s' }),
      ]);
      const urls = servers.map((server) => `${server.url}/pay`);
      const file = `${String(shared.config['effects'])}.go`;
      const headers = { 'x-mode': 'hold', 'x-file': file };
      await contested(urls, headers, shared.effects.runs, () => writeFileSync(file, ''), waiting);
      expect(shared.effects.payments()).toBe(1);
      expect(servers.flatMap((server) => server.storeErrors)).toEqual([]);
    },
    60_000,
  );
});
