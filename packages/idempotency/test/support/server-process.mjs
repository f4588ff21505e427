// A payment server in a process of its own, for tests that kill it. Configuration: JSON in argv[2]. Runs the built
// package. Says its port on stdout. The effect of a payment is a row in an SQLite file beside the store.
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { idempotent } from '@spillway/idempotency';
import express from 'express';
import { openStore } from './process-stores.mjs';

const config = JSON.parse(process.argv[2]);
const { store, effects } = await openStore(config);
const dieAfterCommit = (request) =>
  request.headers['x-mode'] === 'kill-after-commit' && once(request.headers['x-once']);

/** True for the first process that asks with this file name. */
function once(file) {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch {
    return false;
  }
}

const app = express();
app.use(express.json());
app.use(
  idempotent({
    store,
    required: true,
    scope: () => 'merchant',
    lease: config.lease ?? '3s',
    storeTimeout: config.storeTimeout ?? '2s',
    wait: config.wait ?? false,
    observe: (event) => {
      if (event.type === 'idempotency.store-error') process.stdout.write(`store-error ${event.error}\n`);
    },
  }),
);

app.post('/pay', async (req, res) => {
  const { idempotency } = req;
  effects.run(idempotency.key, process.pid);
  // The name of the effect is noted before it happens: whoever runs after a crash repeats the same one, which is none.
  let payment = idempotency.saved('payment');
  if (payment === undefined) {
    payment = { id: randomUUID(), amount: req.body.amount };
    await idempotency.checkpoint('payment', payment);
  }
  const mode = req.headers['x-mode'];
  if (mode === 'slow') await sleep(Number(req.headers['x-ms']));
  while (mode === 'hold' && !existsSync(req.headers['x-file'])) await sleep(20);
  if (mode === 'kill-in-the-middle' && once(req.headers['x-once'])) process.kill(process.pid, 'SIGKILL');
  effects.pay(payment.id, idempotency.key);
  if (dieAfterCommit(req)) process.kill(process.pid, 'SIGKILL');
  if (mode === 'cut' && once(req.headers['x-once'])) req.socket.destroy();
  if (mode === 'kill-after-store' && once(req.headers['x-once'])) {
    const { end } = Object.getPrototypeOf(res);
    // The answer is in the store once node's own end is called.
    res.socket.write = () => process.kill(process.pid, 'SIGKILL');
    Object.getPrototypeOf(res).end = function dying(...args) {
      return this === res ? process.kill(process.pid, 'SIGKILL') : end.apply(this, args);
    };
  }
  res.status(201).json({ ...payment, attempt: idempotency.attempt });
});

app.post('/pay-together', async (req, res) => {
  effects.run(req.idempotency.key, process.pid);
  const id = randomUUID();
  const answer = { status: 201, body: { id, amount: req.body.amount } };
  const { end } = res;
  if (req.headers['x-mode'] === 'kill-after-commit' && once(req.headers['x-once'])) {
    res.end = () => process.kill(process.pid, 'SIGKILL');
  } else {
    res.end = end;
  }
  if (config.store === 'sqlite') {
    await req.idempotency.transaction((db) => {
      db.prepare('INSERT INTO payments (id, key) VALUES (?, ?)').run(id, req.idempotency.key);
      if (req.headers['x-mode'] === 'kill-before-commit' && once(req.headers['x-once']))
        process.kill(process.pid, 'SIGKILL');
      return answer;
    });
  } else {
    await req.idempotency.transaction(async (tx) => {
      await tx.query('INSERT INTO payments (id, key) VALUES ($1, $2)', [id, req.idempotency.key]);
      if (req.headers['x-mode'] === 'kill-before-commit' && once(req.headers['x-once']))
        process.kill(process.pid, 'SIGKILL');
      return answer;
    });
  }
});

const server = app.listen(config.port ?? 0, '127.0.0.1', () =>
  process.stdout.write(`port ${server.address().port}\n`),
);
