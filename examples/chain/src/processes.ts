import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HopReport } from './hop-process.js';

const ENTRY = fileURLToPath(new URL('./hop-process.js', import.meta.url));

/** A server of the chain in a process of its own. */
export class HopProcess {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(...args: readonly string[]): Promise<HopProcess> {
    const child = fork(ENTRY, [...args]);
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`The ${args[0]} ended with code ${code} before it listened`);
    });
    const [report] = (await Promise.race([once(child, 'message'), failed])) as [HopReport];
    failed.catch(() => undefined);
    return new HopProcess(child, report.url);
  }

  /** What it has counted itself. */
  async report(): Promise<HopReport> {
    this.#child.send('report');
    const [report] = (await once(this.#child, 'message')) as [HopReport];
    return report;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
