import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClaimRequest } from '../../src/engine/machine.js';
import { AMPLE } from '../support/boxes.js';
import { allRigs, type StoreRig } from '../support/store-rigs.js';

const { makers, dispose } = await allRigs();
afterAll(dispose, 30_000);

function claim(token: string, more: Partial<ClaimRequest> = {}): ClaimRequest {
  return { fingerprint: 'f', token, leaseMs: 30_000, ttlMs: 86_400_000, ...more };
}

describe.each(makers)('the %s store', (_name, make) => {
  let rig: StoreRig;
  beforeEach(async () => {
    rig = await make();
  });
  afterEach(async () => {
    await rig.dispose();
  });

  const begin = (token: string, more?: Partial<ClaimRequest>) =>
    rig.store.begin('k', claim(token, more), AMPLE);
  const first = { kind: 'run', attempt: 1, recovered: false, checkpoints: {} };

  test('gives a free key to the first and refuses the second while the lease lasts', async () => {
    expect(await begin('a')).toEqual(first);
    const second = await begin('b');
    expect(second.kind).toBe('in-progress');
    const left = (second as { leaseLeftMs: number }).leaseLeftMs;
    expect(left).toBeGreaterThan(29_000);
    expect(left).toBeLessThanOrEqual(30_001);
  });

  test('gives one of 50 parallel claims the key, whatever the order', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, (_, i) => begin(`t${i}`)));
    expect(results.filter((result) => result.kind === 'run')).toHaveLength(1);
    expect(results.filter((result) => result.kind === 'in-progress')).toHaveLength(49);
  });

  test('compares the payload before the state, running and completed', async () => {
    await begin('a');
    expect(await begin('b', { fingerprint: 'g' })).toEqual({ kind: 'mismatch' });
    await rig.store.complete('k', 'a', 'answer', AMPLE);
    expect(await begin('c', { fingerprint: 'g' })).toEqual({ kind: 'mismatch' });
    expect(await begin('d')).toEqual({ kind: 'replay', answer: 'answer' });
  });

  test('replays exactly what was stored, whatever characters it has', async () => {
    const answer = `{"b":"snow \u2603 \u{1F600} \u0001 \\ ' \\" \u00ff, 'x'"}${'y'.repeat(300_000)}`;
    await begin('a');
    expect(await rig.store.complete('k', 'a', answer, AMPLE)).toBe(true);
    expect(await begin('b')).toEqual({ kind: 'replay', answer });
  });

  test('completes without an answer that was too large to keep', async () => {
    await begin('a');
    expect(await rig.store.complete('k', 'a', null, AMPLE)).toBe(true);
    expect(await begin('b')).toEqual({ kind: 'replay', answer: null });
  });

  test('refuses every change under a token that does not own the key', async () => {
    await begin('a');
    expect(await rig.store.renew('k', 'x', 1_000, AMPLE)).toBe(false);
    expect(await rig.store.checkpoint('k', 'x', 'c', '1', AMPLE)).toBe(false);
    expect(await rig.store.complete('k', 'x', 'stolen', AMPLE)).toBe(false);
    expect(await rig.store.release('k', 'x', AMPLE)).toBe(false);
    expect(await rig.store.complete('k', 'a', 'mine', AMPLE)).toBe(true);
    expect(await begin('b')).toEqual({ kind: 'replay', answer: 'mine' });
  });

  test('refuses changes to a key nobody holds', async () => {
    expect(await rig.store.renew('k', 'a', 1_000, AMPLE)).toBe(false);
    expect(await rig.store.complete('k', 'a', 'x', AMPLE)).toBe(false);
    expect(await rig.store.release('k', 'a', AMPLE)).toBe(false);
    expect(await begin('b')).toEqual(first);
  });

  test('completes once: a second answer under the same token is refused', async () => {
    await begin('a');
    await rig.store.complete('k', 'a', 'one', AMPLE);
    expect(await rig.store.complete('k', 'a', 'two', AMPLE)).toBe(false);
    expect(await rig.store.release('k', 'a', AMPLE)).toBe(false);
    expect(await begin('b')).toEqual({ kind: 'replay', answer: 'one' });
  });

  test('lets the next one in after the lease, under a new token, and refuses the old one from then on', async () => {
    await begin('a');
    await rig.lapse('k');
    expect(await begin('b')).toEqual({ kind: 'run', attempt: 2, recovered: true, checkpoints: {} });
    expect(await rig.store.complete('k', 'a', 'late', AMPLE)).toBe(false);
    expect(await rig.store.release('k', 'a', AMPLE)).toBe(false);
    expect(await rig.store.renew('k', 'a', 1_000, AMPLE)).toBe(false);
    expect(await rig.store.complete('k', 'b', 'right', AMPLE)).toBe(true);
    expect(await begin('c')).toEqual({ kind: 'replay', answer: 'right' });
  });

  test('lets one of many in after the lease', async () => {
    await begin('a');
    await rig.lapse('k');
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => begin(`t${i}`)));
    expect(results.filter((result) => result.kind === 'run')).toHaveLength(1);
  });

  test('takes an answer whose lease has lapsed while nobody else has the key', async () => {
    await begin('a');
    await rig.lapse('k');
    expect(await rig.store.complete('k', 'a', 'still mine', AMPLE)).toBe(true);
    expect(await begin('b')).toEqual({ kind: 'replay', answer: 'still mine' });
  });

  test('renews a lease that had lapsed unnoticed', async () => {
    await begin('a');
    await rig.lapse('k');
    expect(await rig.store.renew('k', 'a', 30_000, AMPLE)).toBe(true);
    expect((await begin('b')).kind).toBe('in-progress');
  });

  test('forgets a released key, and keeps one with checkpoints for the same payload', async () => {
    await begin('a');
    expect(await rig.store.release('k', 'a', AMPLE)).toBe(true);
    expect(await begin('b', { fingerprint: 'g' })).toEqual(first);
    expect(await rig.store.checkpoint('k', 'b', 'charged', '{"id":"ch_1"}', AMPLE)).toBe(true);
    expect(await rig.store.checkpoint('k', 'b', 'mailed', 'null', AMPLE)).toBe(true);
    expect(await rig.store.release('k', 'b', AMPLE)).toBe(true);
    expect(await begin('c')).toEqual({ kind: 'mismatch' });
    const again = await begin('d', { fingerprint: 'g' });
    const checkpoints = { charged: '{"id":"ch_1"}', mailed: 'null' };
    expect(again).toEqual({ kind: 'run', attempt: 2, recovered: true, checkpoints });
  });

  test('a later note under the same name replaces the earlier one', async () => {
    await begin('a');
    await rig.store.checkpoint('k', 'a', 'c', '1', AMPLE);
    await rig.store.checkpoint('k', 'a', 'c', '2', AMPLE);
    await rig.lapse('k');
    expect(await begin('b')).toMatchObject({ kind: 'run', checkpoints: { c: '2' } });
  });

  test('an expired record is none, and takes its checkpoints with it', async () => {
    await begin('a');
    await rig.store.checkpoint('k', 'a', 'c', '1', AMPLE);
    await rig.store.complete('k', 'a', 'old', AMPLE);
    await rig.expire('k');
    expect(await begin('b', { fingerprint: 'g' })).toEqual(first);
  });

  test('an expired record cannot be completed any more', async () => {
    await begin('a');
    await rig.expire('k');
    expect(await rig.store.complete('k', 'a', 'x', AMPLE)).toBe(false);
  });

  test('keeps keys apart', async () => {
    await rig.store.begin('k1', claim('a'), AMPLE);
    expect(await rig.store.begin('k2', claim('b'), AMPLE)).toEqual(first);
    expect(await rig.count()).toBe(2);
  });

  test('sweeps expired records up to a limit and no living one', async () => {
    for (const key of ['k1', 'k2', 'k3'])
      await rig.store.begin(key, claim('a', { ttlMs: 100, leaseMs: 100 }), AMPLE);
    await rig.store.begin('live', claim('a', { ttlMs: 1e9 }), AMPLE);
    for (const key of ['k1', 'k2', 'k3']) await rig.expire(key);
    if (rig.store.sweep !== undefined) {
      expect(await rig.store.sweep(2, AMPLE)).toBe(2);
      expect(await rig.store.sweep(2, AMPLE)).toBe(1);
      expect(await rig.store.sweep(2, AMPLE)).toBe(0);
    }
    expect(await rig.count()).toBe(1);
  });
});
