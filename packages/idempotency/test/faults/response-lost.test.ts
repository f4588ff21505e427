import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createSpillway, type SpillwayEvent } from '@spillway/core';
import { build, type SharedStore, sharedStores } from '../support/processes.js';
import { unique } from '../support/store-rigs.js';

const { makers, dispose } = await sharedStores();
const open: SharedStore[] = [];
beforeAll(build, 120_000);
afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.dispose()));
});
afterAll(dispose, 30_000);

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly replayed: boolean;
}

/** A client that retries, as an application has it: one policy, one key for the whole operation. */
function payingClient(url: () => string) {
  const events: SpillwayEvent[] = [];
  const spillway = createSpillway(
    {
      service: 'shop',
      dependencies: {
        payments: {
          deadline: '60s',
          attempt: { timeout: '20s' },
          retry: { attempts: 40, backoff: { base: '200ms', cap: '1s' }, budget: false },
          breaker: false,
        },
      },
    },
    { observers: [(event) => events.push(event)] },
  );
  const pay = async (path: string, key: string, headers: Record<string, string>): Promise<Answer> => {
    let last: Answer | undefined;
    await spillway.dependency('payments').call(
      async (attempt) => {
        const response = await fetch(`${url()}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': `"${key}"`, ...headers },
          body: '{"amount":5}',
          signal: attempt.signal,
        });
        const body = (await response.json()) as Record<string, unknown>;
        last = {
          status: response.status,
          body,
          replayed: response.headers.get('idempotent-replayed') === 'true',
        };
        return response;
      },
      { idempotencyKey: key },
    );
    return last as Answer;
  };
  const attempts = () => events.filter(({ type }) => type === 'attempt.start').length;
  return { pay, attempts, close: () => spillway.close() };
}

describe.each(makers)('an answer lost on %s', (name, make) => {
  test.each([
    ['the socket is cut after the commit', 'cut'],
    ['the server is killed between commit and answer', 'kill-after-commit'],
    ['the server is killed after the answer was stored', 'kill-after-store'],
  ])(
    '%s: two or more attempts, one effect, the same answer',
    async (_what, mode) => {
      const shared = await make();
      open.push(shared);
      const server = await shared.server({ lease: '3s' });
      const revived = server.supervise();
      const client = payingClient(() => server.url);
      const key = unique('pay');
      const headers = { 'x-mode': mode, 'x-once': `${String(shared.config['effects'])}.once` };
      const answer = await client.pay('/pay', key, headers);
      expect(client.attempts()).toBeGreaterThanOrEqual(2);
      expect(shared.effects.payments()).toBe(1);
      expect(answer.status).toBe(201);
      expect(revived()).toBe(mode === 'cut' ? 0 : 1);
      const again = await client.pay('/pay', key, {});
      expect(again).toEqual({ ...answer, replayed: true });
      expect(shared.effects.runs()).toBe(mode === 'kill-after-commit' ? 2 : 1);
      await client.close();
    },
    90_000,
  );

  test.each([
    ['right after the transaction that holds effect and record', 'kill-after-commit', 1],
    ['inside the transaction', 'kill-before-commit', 2],
  ])(
    'a server killed %s: one effect, the same answer',
    async (_what, mode, runs) => {
      const shared = await make();
      open.push(shared);
      const server = await shared.server({ lease: '3s' });
      server.supervise();
      const client = payingClient(() => server.url);
      const key = unique('together');
      const headers = { 'x-mode': mode, 'x-once': `${String(shared.config['effects'])}.once` };
      if (name.includes('redis')) {
        // No transactions with anything else there: the handler is told so, and nothing has happened.
        const refused = fetch(`${server.url}/pay-together`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body: '{"amount":5}',
        });
        expect((await refused).status).toBe(500);
        return;
      }
      const answer = await client.pay('/pay-together', key, headers);
      expect(answer.status).toBe(201);
      expect(await shared.paidTogether(key)).toBe(1);
      expect(client.attempts()).toBeGreaterThanOrEqual(2);
      expect((await client.pay('/pay-together', key, {})).body).toEqual(answer.body);
      expect(shared.effects.runs()).toBe(runs);
      await client.close();
    },
    90_000,
  );
});
