import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  type CallOptions,
  createSpillway,
  type DependencyConfig,
  type Subject,
  VirtualClock,
} from '../../src/index.js';

async function subjectOf(options: CallOptions<never>, policy: DependencyConfig<never> = {}) {
  const clock = new VirtualClock();
  const subjects: Subject[] = [];
  const spillway = createSpillway<{ db: never }>({ dependencies: { db: policy } }, { clock });
  spillway.subscribe((event) => {
    if (event.type === 'operation.start') subjects.push(event.subject);
  });
  await spillway.dependency('db').call(() => 'fine', options);
  return { subject: subjects[0] as Subject, spillway };
}

describe('the subject of an operation', () => {
  test('tells a key by its hash, in quotes or not', async () => {
    const hash = createHash('sha256').update('order-1').digest('hex').slice(0, 16);
    expect((await subjectOf({ idempotencyKey: 'order-1' })).subject.keyHash).toBe(hash);
    expect((await subjectOf({ idempotencyKey: '"order-1"' })).subject.keyHash).toBe(hash);
    expect((await subjectOf({})).subject.keyHash).toBeUndefined();
  });

  test('counts the attempts that its call, else its dependency, allows', async () => {
    expect((await subjectOf({})).subject.maxAttempts).toBe(3);
    expect((await subjectOf({ retry: { attempts: 5 } })).subject.maxAttempts).toBe(5);
    expect((await subjectOf({ retry: false })).subject.maxAttempts).toBe(1);
    expect((await subjectOf({ retry: { attempts: 5 } }, { retry: false })).subject.maxAttempts).toBe(1);
  });

  test('is repeatable by a key or by the word of its caller', async () => {
    expect((await subjectOf({})).subject.repeatable).toBe(false);
    expect((await subjectOf({ idempotencyKey: 'k' })).subject.repeatable).toBe(true);
    expect((await subjectOf({ idempotent: true })).subject.repeatable).toBe(true);
  });

  test('reads its breaker when it is asked, not before', async () => {
    const { subject, spillway } = await subjectOf({});
    expect(subject.breakerState).toBe('closed');
    spillway.dependency('db').breaker.forceOpen();
    expect(subject.breakerState).toBe('forced-open');
    expect((await subjectOf({}, { breaker: false })).subject.breakerState).toBeUndefined();
  });

  test('shows no key and no path when it is serialised', async () => {
    const { subject } = await subjectOf({ idempotencyKey: 'order-1' });
    expect(JSON.parse(JSON.stringify({ subject }))).toEqual({ subject: {} });
  });
});
