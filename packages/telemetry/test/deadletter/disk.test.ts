import { chmod, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { manualClock } from '@spillway/testing';
import { LetterBox } from '../../src/deadletter/letter-box.js';
import { LetterFile } from '../../src/deadletter/letter-file.js';
import { cleanUp, directory, fails, lettered, linesOf, namesIn } from './letters.js';

/** `letter-00001` and so on, padded to `bytes`, line end included. */
function numbered(from: number, count: number, bytes = 100): string[] {
  return Array.from({ length: count }, (_, i) => {
    const name = `letter-${String(from + i).padStart(5, '0')}`;
    return name.padEnd(bytes - 1, '.');
  });
}

async function appendAll(file: LetterFile, lines: readonly string[]): Promise<void> {
  let rest = lines;
  while (rest.length > 0) rest = rest.slice(await file.append(rest));
}

describe('rotation', () => {
  test('keeps every file within its size, and so many of them', async () => {
    const dir = await directory();
    const file = new LetterFile(join(dir, 'dead'), 1000, 2);
    for (let batch = 0; batch < 20; batch++) await appendAll(file, numbered(batch * 7, 7));
    await file.close();
    expect(await namesIn(dir)).toEqual(['dead', 'dead.1', 'dead.2']);
    const texts = await Promise.all(
      ['dead.2', 'dead.1', 'dead'].map((name) => readFile(join(dir, name), 'utf8')),
    );
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1000);
    const kept = texts.join('').split('\n').slice(0, -1);
    expect(kept).toEqual(numbered(140 - kept.length, kept.length));
    expect(kept.length).toBeGreaterThanOrEqual(20);
  });

  test('goes on with the file that an earlier process left', async () => {
    const dir = await directory();
    await writeFile(join(dir, 'dead'), `${numbered(0, 9).join('\n')}\n`);
    const file = new LetterFile(join(dir, 'dead'), 1000, 1);
    await appendAll(file, numbered(9, 2));
    await file.close();
    expect((await readFile(join(dir, 'dead.1'), 'utf8')).split('\n')).toHaveLength(11);
    expect(await readFile(join(dir, 'dead'), 'utf8')).toMatch(/^letter-00010/);
  });

  test('with none to keep, begins anew', async () => {
    const dir = await directory();
    const file = new LetterFile(join(dir, 'dead'), 1000, 0);
    await appendAll(file, numbered(0, 25));
    await file.close();
    expect(await namesIn(dir)).toEqual(['dead']);
    expect((await readFile(join(dir, 'dead'), 'utf8')).split('\n')).toHaveLength(6);
  });

  test('fails where no directory can ever be made, rather than try for ever', async () => {
    const file = new LetterFile('/proc/no-such-process/deep/dead', 1000, 1);
    await expect(file.append(numbered(0, 1))).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });

  test('makes files that nobody else may read, in a directory that need not be there', async () => {
    const path = join(await directory(), 'deep', 'down', 'dead');
    const file = new LetterFile(path, 1000, 1);
    await appendAll(file, numbered(0, 12));
    await file.close();
    for (const each of [path, `${path}.1`]) expect((await stat(each)).mode & 0o777).toBe(0o600);
  });
});

describe('a disk that is full', () => {
  /** A file on a disk without room; `mend` makes room. */
  async function fullDisk() {
    const file = join(await directory(), 'dead.jsonl');
    await symlink('/dev/full', file);
    return { file, mend: () => rm(file) };
  }

  test('is counted once, and no operation notices', async () => {
    const { file } = await fullDisk();
    const { spillway, letters } = await lettered({ file });
    const seen: string[] = [];
    spillway.subscribe((event) => {
      if (event.type === 'observer.failed') seen.push(event.error);
    });
    for (let i = 0; i < 20; i++) {
      const outcome = await spillway.dependency('db').settle(fails, { retry: false });
      expect(outcome.error).toMatchObject({ code: expect.stringMatching(/^ERR_/) });
      await letters.flush();
    }
    expect(letters.stats).toEqual({ written: 0, dropped: 0, queued: 20, faults: 1 });
    expect(spillway.snapshot().observerFailures).toBe(1);
    expect(seen).toEqual([expect.stringContaining('ENOSPC')]);
    await letters.close();
    expect(letters.stats).toEqual({ written: 0, dropped: 20, queued: 0, faults: 1 });
  });

  test('gets what waited once there is room', async () => {
    const { file, mend } = await fullDisk();
    const { spillway, letters } = await lettered({ file });
    const fail = () => spillway.dependency('db').settle(fails, { retry: false });
    await fail();
    await letters.flush();
    await mend();
    await fail();
    await letters.flush();
    expect(await linesOf(file)).toHaveLength(2);
    expect(letters.stats).toEqual({ written: 2, dropped: 0, queued: 0, faults: 1 });
    expect(spillway.snapshot().observerFailures).toBe(1);
  });
});

test('a file that may not be written is counted once, and no operation notices', async () => {
  const dir = await directory();
  await chmod(dir, 0o500);
  // root may write anywhere
  const uid = process.geteuid?.();
  if (uid === 0) process.seteuid?.(65_534);
  cleanUp(() => uid === 0 && process.seteuid?.(0));
  const { spillway, letters } = await lettered({ file: join(dir, 'dead.jsonl') });
  const seen: string[] = [];
  spillway.subscribe((event) => {
    if (event.type === 'observer.failed') seen.push(event.error);
  });
  for (let i = 0; i < 3; i++) {
    await spillway.dependency('db').settle(fails, { retry: false });
    await letters.flush();
  }
  if (uid === 0) process.seteuid?.(0);
  expect(seen).toEqual([expect.stringContaining('EACCES')]);
  expect(letters.stats).toMatchObject({ queued: 3, faults: 1 });
});

describe('a disk that does not answer', () => {
  function boxOn(append: (lines: readonly string[]) => Promise<number>, capacity = 3) {
    const clock = manualClock();
    const faults: unknown[] = [];
    const file = { append, close: async () => undefined };
    const box = new LetterBox({ file, clock, capacity, onFault: (error) => faults.push(error) });
    return { clock, box, faults };
  }

  test('leaves a queue of bounded length; more is dropped and counted', async () => {
    const { box } = boxOn(() => new Promise(() => undefined));
    for (let i = 0; i < 10; i++) box.post(String(i));
    expect(box).toMatchObject({ queued: 3, dropped: 7, written: 0 });
  });

  test('is left alone for a second after it failed, then asked again', async () => {
    let asked = 0;
    const { box, clock, faults } = boxOn(async (lines) => {
      asked++;
      if (asked < 3) throw new Error('away');
      return lines.length;
    });
    box.post('a');
    await clock.advance(0);
    box.post('b');
    await clock.advance(999);
    expect(asked).toBe(1);
    await clock.advance(1);
    expect(asked).toBe(2);
    await clock.advance(1000);
    expect(box).toMatchObject({ written: 2, queued: 0, faults: 1 });
    expect(faults).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('is counted each time that it begins to fail', async () => {
    const answers = [false, false, true, false, true];
    const { box, clock, faults } = boxOn(async (lines) => {
      if (answers.shift() === false) throw new Error('away');
      return lines.length;
    });
    for (let i = 0; i < 2; i++) {
      box.post('a');
      await clock.runToIdle();
    }
    expect(box).toMatchObject({ written: 2, faults: 2 });
    expect(faults).toHaveLength(2);
  });

  test('makes a flush wait for what was there, not for what comes after it', async () => {
    const waiting: (() => void)[] = [];
    const { box, clock } = boxOn(
      (lines) => new Promise((resolve) => waiting.push(() => resolve(lines.length))),
      10,
    );
    box.post('a');
    box.post('b');
    let flushed = false;
    void box.flush().then(() => {
      flushed = true;
    });
    box.post('c');
    waiting[0]?.();
    await clock.advance(0);
    expect([flushed, box.written, waiting.length]).toEqual([true, 3, 1]);
    box.post('d');
    await clock.advance(0);
    expect([waiting.length, box.queued]).toEqual([2, 1]);
  });

  test('takes nothing more once it is closed', async () => {
    const { box } = boxOn(async (lines) => lines.length);
    box.post('a');
    await box.close();
    box.post('b');
    await box.close();
    expect(box).toMatchObject({ written: 1, dropped: 1, queued: 0 });
  });
});
