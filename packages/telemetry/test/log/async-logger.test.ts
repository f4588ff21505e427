import { expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { type FieldLogger, logEvents } from '../../src/log/index.js';

const reject = async () => {
  throw new Error('no disk');
};
const logger: FieldLogger = { debug: reject, info: reject, warn: reject, error: reject };

test.each([
  ['write', { write: reject }],
  ['logger', { logger }],
] as const)('an async %s that rejects is counted, and ends no process', async (_name, target) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const spillway = createSpillway<{ db: unknown }>({ dependencies: { db: { retry: false } } });
  logEvents(spillway, { ...target, level: 'error' });
  const outcome = await spillway.dependency('db').settle(reject);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(outcome.ok).toBe(false);
  expect(unhandled).toEqual([]);
  expect(spillway.snapshot().observerFailures).toBe(1);
});
