import { describe, expect, test } from '@jest/globals';
import { createSpillway, type Surround, VirtualClock } from '../../src/index.js';

function rig(link?: 'layered') {
  const clock = new VirtualClock();
  const policy = { retry: { attempts: 3, backoff: { base: 0, jitter: 'none' }, budget: false } } as const;
  const spillway = createSpillway<{ db: never }>(
    { dependencies: { db: policy } },
    { clock, ...(link && { link }) },
  );
  return { clock, spillway, db: spillway.dependency('db') };
}

/** Notes who runs around which attempt. */
function noting(name: string, notes: string[]): Surround {
  return (id, attempt, work) => {
    notes.push(`${name} ${id}/${attempt}`);
    return work();
  };
}

describe.each([['fused', undefined] as const, ['layered', 'layered'] as const])('%s', (_name, link) => {
  test('the work of each attempt runs inside those that surround it, the first outermost', async () => {
    const { clock, spillway, db } = rig(link);
    const notes: string[] = [];
    spillway.events.surroundWith(noting('outer', notes));
    spillway.events.surroundWith(noting('inner', notes));
    let calls = 0;
    const work = () => {
      notes.push('work');
      calls++;
      if (calls === 1) throw new Error('once');
      return 'fine';
    };
    const done = db.call(work, { idempotent: true });
    await clock.runToIdle();
    expect(await done).toBe('fine');
    expect(notes).toEqual(['outer 1/1', 'inner 1/1', 'work', 'outer 1/2', 'inner 1/2', 'work']);
  });

  test('one that is taken off again is not asked', async () => {
    const { spillway, db } = rig(link);
    const notes: string[] = [];
    const stop = spillway.events.surroundWith(noting('a', notes));
    stop();
    expect(spillway.events.surround).toBeUndefined();
    await db.call(() => 1);
    expect(notes).toEqual([]);
  });

  test('one that throws before the work begins is counted, and the work runs once', async () => {
    const { spillway, db } = rig(link);
    spillway.events.surroundWith(() => {
      throw new Error('no context');
    });
    let calls = 0;
    expect(await db.call(() => ++calls)).toBe(1);
    expect(spillway.snapshot().observerFailures).toBe(1);
  });

  test('what the work throws is its own', async () => {
    const { spillway, db } = rig(link);
    spillway.events.surroundWith((_id, _attempt, work) => work());
    const { error } = await db.settle(() => {
      throw new RangeError('mine');
    });
    expect(error).toBeInstanceOf(RangeError);
    expect(spillway.snapshot().observerFailures).toBe(0);
  });
});
