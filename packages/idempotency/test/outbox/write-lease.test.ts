import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '@spillway/core';
import type { ClaimedWrite, OutboxStore } from '../../src/outbox/outbox-store.js';
import { WriteLease } from '../../src/outbox/write-lease.js';

const LEASE_MS = 3000;
// nothing of it is looked at
const WRITE = { id: 'w', token: 't' } as unknown as ClaimedWrite;

function lease(renew: (now: number) => Promise<boolean>) {
  const clock = new VirtualClock();
  const asked: number[] = [];
  const store = {
    renew: () => {
      asked.push(clock.now());
      return renew(clock.now());
    },
  };
  return { clock, asked, lease: new WriteLease(store as unknown as OutboxStore, clock, WRITE, LEASE_MS) };
}

describe('the lease of a write that is being sent', () => {
  test('is renewed at each third of it for as long as it takes', async () => {
    const { clock, asked, lease: held } = lease(async () => true);
    await clock.advance(10_000);
    expect(asked).toEqual([1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000]);
    expect(held.isLost).toBe(false);
    held.end();
    expect(clock.pending).toBe(0);
  });

  test('ends the sending when it has become another’s', async () => {
    const { clock, lease: held } = lease(async (now) => now < 2000);
    await clock.advance(1999);
    expect(held.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(held.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test('ends the sending when nobody could renew it in time, and not before', async () => {
    const {
      clock,
      asked,
      lease: held,
    } = lease((now) => (now < 2000 ? Promise.resolve(true) : Promise.reject(new Error('the store is gone'))));
    await clock.advance(3999);
    expect(held.isLost).toBe(false);
    await clock.advance(1);
    expect(held.isLost).toBe(true);
    expect(asked).toEqual([1000, 2000, 3000]);
  });

  test('ends the sending of a process that slept through it', async () => {
    const { clock, lease: held } = lease(() => new Promise(() => undefined));
    await clock.advance(LEASE_MS);
    expect(held.isLost).toBe(true);
  });

  test('once over, is nobody’s to lose', async () => {
    const { clock, lease: held } = lease(async () => false);
    held.end();
    await clock.advance(10_000);
    expect(held.isLost).toBe(false);
  });
});
