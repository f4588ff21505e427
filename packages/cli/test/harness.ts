import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../src/run.js';
import type { Terminal } from '../src/terminal.js';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process. `interrupt`: Ctrl-C is pressed when the run begins to listen for it. */
export async function spillway(
  args: readonly string[],
  options: { interactive?: boolean; interrupt?: boolean } = {},
): Promise<Ran> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    isInteractive: options.interactive ?? false,
    write: (text) => {
      out += text;
    },
    complain: (text) => {
      err += text;
    },
    onInterrupt: (then) => {
      if (options.interrupt === true) then();
      return () => undefined;
    },
  };
  const code = await run(args, terminal);
  return { code, out, err };
}

/** A folder of files for one test file. */
export class Folder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'spillway-cli-'));

  /** Writes a file and returns its path; anything but a text as JSON. */
  write(name: string, content: unknown): string {
    const path = join(this.path, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    return path;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
