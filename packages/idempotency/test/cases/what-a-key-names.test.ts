import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { Bench, storesAndFrameworks } from '../support/matrix.js';
import { eventually, gate, post, send } from '../support/wire.js';

const { pairs, dispose } = await storesAndFrameworks();
const bench = new Bench();
afterEach(() => bench.close());
afterAll(dispose, 30_000);

describe.each(pairs)('%s behind %s', (_store, _name, make, framework) => {
  test('C-076 another body under a running key is a mismatch, the same body is in progress', async () => {
    const { store } = await bench.rig(make);
    const finish = gate();
    const app = await bench.serve(framework, { store, required: true }, async ({ send }) => {
      await finish.opened;
      return send(201, {}, { done: true });
    });
    const first = post(`${app.url}/p`, 'K', { body: 1 });
    await eventually('the first runs', () => app.runs() === 1);
    const other = await post(`${app.url}/p`, 'K', { body: 2 });
    const same = await post(`${app.url}/p`, 'K', { body: 1 });
    expect([other.status, other.json()['code']]).toEqual([422, 'ERR_IDEMPOTENCY_MISMATCH']);
    expect([same.status, same.json()['code']]).toEqual([409, 'ERR_IDEMPOTENCY_IN_PROGRESS']);
    expect(Number(same.headers['retry-after'])).toBeGreaterThanOrEqual(29);
    finish.open();
    expect((await first).status).toBe(201);
    expect((await post(`${app.url}/p`, 'K', { body: 2 })).status).toBe(422);
    const replay = await post(`${app.url}/p`, 'K', { body: 1 });
    expect([replay.status, replay.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(app.runs()).toBe(1);
  });

  test('C-077 a key is bound to body bytes, path, method and query', async () => {
    const { store } = await bench.rig(make);
    const app = await bench.serve(framework, { store, required: true }, ({ send }) =>
      send(201, {}, { ok: true }),
    );
    const body = '{"amount":1,"to":"a"}';
    const first = await send(`${app.url}/pay?x=1`, { key: 'K', body });
    expect(first.status).toBe(201);
    const others = await Promise.all([
      send(`${app.url}/pay?x=1`, { key: 'K', body: '{"amount":2,"to":"a"}' }),
      send(`${app.url}/pay?x=1`, { key: 'K', body: '{"to":"a","amount":1}' }),
      send(`${app.url}/pay?x=1`, { key: 'K', body: '{"amount":1, "to":"a"}' }),
      send(`${app.url}/other?x=1`, { key: 'K', body }),
      send(`${app.url}/pay?x=2`, { key: 'K', body }),
      send(`${app.url}/pay`, { key: 'K', body }),
      send(`${app.url}/pay?x=1`, { key: 'K', body, method: 'PATCH' }),
      send(`${app.url}/pay?x=1`, { key: 'K', body, headers: { 'content-type': 'text/plain' } }),
    ]);
    expect(others.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 422, 422, 422]);
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await send(`${app.url}/pay?x=1`, { key: 'K', body, headers })).status).toBe(201);
    expect(app.runs()).toBe(1);
  });

  test('C-078 callers never meet in one key, those without an identity neither', async () => {
    const { store } = await bench.rig(make);
    const app = await bench.serve(framework, { store, required: true }, ({ send, req }, run) =>
      send(200, {}, { run, for: req.headers.authorization ?? req.socket.remoteAddress }),
    );
    const as = (authorization: string) => post(`${app.url}/p`, 'K', { a: 1 }, { headers: { authorization } });
    const from = (localAddress: string) => post(`${app.url}/p`, 'K', { a: 1 }, { localAddress });
    const answers = [
      await as('Bearer A'),
      await as('Bearer B'),
      await from('127.0.0.1'),
      await from('127.0.0.2'),
    ];
    expect(answers.map((answer) => answer.json()['run'])).toEqual([1, 2, 3, 4]);
    expect((await as('Bearer B')).json()).toEqual({ run: 2, for: 'Bearer B' });
    expect((await from('127.0.0.2')).json()['run']).toBe(4);
    const bad = ['', '""', 'x'.repeat(256), 'x'.repeat(10_000), '"a\tb"', 'a b', 'a,b'];
    const refused = await Promise.all(bad.map((key) => post(`${app.url}/p`, key)));
    expect(refused.map(({ status }) => status)).toEqual(bad.map(() => 400));
    expect(app.runs()).toBe(4);
  });
});
