import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const LINE_END = 1;

/**
 * A file of lines that never grows beyond `maxBytes`: a full one becomes `<path>.1`, that `<path>.2`, and so on, and the
 * one beyond `keep` is gone. One writer at a time; it fails as the disk does, and may be called again after that.
 */
export class LetterFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #keep: number;
  #handle: FileHandle | undefined;
  #size = 0;

  constructor(path: string, maxBytes: number, keep: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#keep = keep;
  }

  /**
   * Appends the first of `lines`, as many as one file holds.
   * @returns how many; at least one
   * @throws the system's error (ENOSPC, EACCES, ...): then none of them was kept
   */
  async append(lines: readonly string[]): Promise<number> {
    let handle = await this.#opened();
    if (this.#size > 0 && this.#size + bytesOf(lines[0] ?? '') > this.#maxBytes) {
      await this.#rotate();
      handle = await this.#opened();
    }
    const count = this.#fitting(lines);
    const text = `${lines.slice(0, count).join('\n')}\n`;
    try {
      await handle.appendFile(text);
    } catch (error) {
      await this.#mend(handle);
      throw error;
    }
    this.#size += Buffer.byteLength(text);
    return count;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  #fitting(lines: readonly string[]): number {
    let count = 0;
    let size = this.#size;
    for (const line of lines) {
      size += bytesOf(line);
      if (count > 0 && size > this.#maxBytes) break;
      count++;
    }
    return count;
  }

  async #opened(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    await makeFolder(dirname(this.#path));
    // letters are for operators: nobody else on the machine needs to read them
    const handle = await open(this.#path, 'a', 0o600);
    try {
      this.#size = (await handle.stat()).size;
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#handle = handle;
    return handle;
  }

  async #rotate(): Promise<void> {
    await this.close();
    for (let age = this.#keep; age > 1; age--)
      await moved(`${this.#path}.${age - 1}`, `${this.#path}.${age}`);
    if (this.#keep > 0) await moved(this.#path, `${this.#path}.1`);
    else await (await open(this.#path, 'w', 0o600)).close();
  }

  /** Half a line must not stay, and a file that was taken away is to be found anew. */
  async #mend(handle: FileHandle): Promise<void> {
    this.#handle = undefined;
    try {
      await handle.truncate(this.#size);
    } catch {
      // no regular file, or nothing to be done: the error that counts is the one of the write
    }
    await handle.close().catch(() => undefined);
  }
}

function bytesOf(line: string): number {
  return Buffer.byteLength(line) + LINE_END;
}

async function moved(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
  }
}

/** Step by step: where a file system answers ENOENT for good, as /proc does, Node's `recursive` tries for ever. */
async function makeFolder(path: string): Promise<void> {
  if (await isThere(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  try {
    await mkdir(path);
  } catch (error) {
    // another process was quicker
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
