// A process that defers writes while their dependency is down and sends them when it is back, for tests that kill it.
// Configuration: JSON in argv[2]. Says `deferred N` when N writes are safe. Runs the built package.
import { createSpillway } from '@spillway/core';
import { bullmqOutbox, createOutbox, sqliteOutbox } from '@spillway/idempotency/outbox';
import * as bullmq from 'bullmq';
import { Redis } from 'ioredis';
import Database from 'libsql';

const config = JSON.parse(process.argv[2]);

async function openStore() {
  if (config.store === 'sqlite') return sqliteOutbox(new Database(config.file));
  const { hostname: host, port } = new URL(config.url);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  return bullmqOutbox({
    bullmq,
    connection,
    redis: new Redis(config.url),
    name: config.name,
    leaseMs: 5_000,
  });
}

const spillway = createSpillway({
  service: 'outbox-test',
  dependencies: {
    bank: {
      baseUrl: config.bank,
      deadline: '5s',
      attempt: { timeout: '2s' },
      retry: false,
      breaker: { minCalls: 5, openFor: '500ms', maxOpenFor: '1s', probes: 1 },
      bulkhead: { concurrent: 100, queue: 1000 },
    },
  },
});
const outbox = createOutbox({
  store: await openStore(),
  spillway,
  lease: '5s',
  concurrent: 8,
  every: '50ms',
  attempts: 10_000,
  schedule: { base: '200ms', cap: '1s' },
});
outbox.start();

const bank = spillway.dependency('bank');
for (let i = 0; i < config.writes; i++) {
  const key = `write-${i}`;
  const request = {
    path: `effects/${i % config.lanes}/${i}`,
    json: { i },
    key,
    order: `lane-${i % config.lanes}`,
  };
  if (config.first) {
    // As an application does it: try, and when the bank is away, put the write into the outbox.
    const work = async (attempt) => {
      const url = `${config.bank}/${request.path}`;
      const headers = { 'content-type': 'application/json', 'idempotency-key': `"${key}"` };
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ i }),
        signal: attempt.signal,
      });
      await response.body?.cancel();
      return response;
    };
    await bank.call(work, { idempotencyKey: key, fallback: outbox.defer('bank', request) });
  } else {
    await outbox.add('bank', request);
  }
  if ((i + 1) % 50 === 0) process.stdout.write(`deferred ${i + 1}\n`);
}
process.stdout.write(`deferred ${config.writes}\nall\n`);
// An outbox keeps no process alive; the server that it is part of does.
setInterval(() => {}, 60_000);
