import { type ChildProcess, fork } from 'node:child_process';
import type { Order, Report } from './messages.js';

/** Longest a process may take to be ready, and to end once it is asked to. */
const START_MS = 15_000;
const STOP_MS = 2_000;
/** How much of what a process complains about is kept, for when it fails. */
const COMPLAINT_CHARS = 2_000;

/** A process that is up. */
export interface Child {
  /** Where it listens; empty for the load. */
  readonly url: string;
  order(order: Order): void;
  onReport(listen: (report: Report) => void): void;
}

/** The processes of a run: they start here, end together, and never outlive this one. */
export class Children {
  readonly #running = new Set<ChildProcess>();
  #stopping = false;
  #fail: (error: Error) => void = () => {};
  /** Rejects when a process ends that nobody asked to. */
  readonly failed: Promise<never> = new Promise((_, reject) => {
    this.#fail = reject;
  });

  constructor() {
    // whoever races against it hears of it; nobody has to
    this.failed.catch(() => {});
  }

  /** Starts `<name>.js` of this program and waits until it is ready. */
  async start(name: string, env: Record<string, string> = {}): Promise<Child> {
    if (this.#stopping) throw new Error(`${name} was not started: the run is over`);
    const child = fork(new URL(`../${name}.js`, import.meta.url), {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#watch(name, child);
    const ready = await Promise.race([firstReport(name, child), this.failed]);
    return {
      url: ready.type === 'ready' ? (ready.url ?? '') : '',
      order: (order) => child.send(order),
      onReport: (listen) => child.on('message', (report) => listen(report as Report)),
    };
  }

  /** Ends all of them. A process that hangs is killed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#running].map(end));
  }

  #watch(name: string, child: ChildProcess): void {
    let complaint = '';
    this.#running.add(child);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-COMPLAINT_CHARS);
    });
    child.once('error', (error) => this.#fail(new Error(`${name}: ${error.message}`)));
    // 'close' comes after the last word on stderr
    child.once('close', (code, signal) => {
      this.#running.delete(child);
      if (this.#stopping) return;
      this.#fail(new Error(`${name} ended with ${signal ?? `code ${code}`}\n${complaint}`.trimEnd()));
    });
  }
}

function firstReport(name: string, child: ChildProcess): Promise<Report> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new Error(`${name} was not ready within ${START_MS / 1000} s`));
    }, START_MS);
    late.unref();
    child.once('message', (report) => {
      clearTimeout(late);
      resolve(report as Report);
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const hung = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    // not 'close': that never comes once this side has closed the channel
    child.once('exit', () => {
      clearTimeout(hung);
      resolve();
    });
    if (child.connected) child.disconnect();
  });
}
