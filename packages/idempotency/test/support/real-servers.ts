import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server process of our own: it can be killed, restarted and stopped in its tracks. */
export interface OwnServer {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay, nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Kills it and deletes its data. */
  dispose(): Promise<void>;
  /** Leaves it running after this process. @returns its process and data, for whoever ends it */
  leave(): { readonly pid: number; readonly dir: string };
}

/** A server to use: one that is there already, one started for all files of this run, or one started for this file. */
export interface FoundServer {
  readonly url: string;
  dispose(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function until(what: string, ready: () => Promise<boolean> | boolean, tries = 600): Promise<void> {
  for (let i = 0; i < tries; i++) {
    if (await ready()) return;
    await sleep(25);
  }
  throw new Error(`${what} did not come up`);
}

/** The processes that a server of several has started; PostgreSQL serves each connection in one. */
function childrenOf(parent: ChildProcess): readonly number[] {
  const found = spawnSync('ps', ['-o', 'pid=', '--ppid', String(parent.pid)], { encoding: 'utf8' });
  return found.stdout.split('\n').filter(Boolean).map(Number);
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}

class Managed implements OwnServer {
  readonly url: string;
  readonly port: number;
  readonly #spawn: () => ChildProcess;
  readonly #ready: () => Promise<boolean> | boolean;
  readonly #dir: string;
  #child: ChildProcess | undefined;

  constructor(
    url: string,
    port: number,
    dir: string,
    run: () => ChildProcess,
    ready: () => Promise<boolean> | boolean,
  ) {
    this.url = url;
    this.port = port;
    this.#dir = dir;
    this.#spawn = run;
    this.#ready = ready;
  }

  async start(): Promise<void> {
    this.#child = this.#spawn();
    await until(this.url, this.#ready);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    const workers = childrenOf(child);
    child.kill('SIGKILL');
    signal(workers, 'SIGKILL');
    await gone;
  }

  freeze(): void {
    if (this.#child !== undefined) signal([this.#child.pid ?? 0, ...childrenOf(this.#child)], 'SIGSTOP');
  }

  thaw(): void {
    if (this.#child !== undefined) signal([this.#child.pid ?? 0, ...childrenOf(this.#child)], 'SIGCONT');
  }

  leave(): { readonly pid: number; readonly dir: string } {
    this.#child?.unref();
    return { pid: this.#child?.pid ?? 0, dir: this.#dir };
  }

  async dispose(): Promise<void> {
    await this.kill();
    await sleep(50);
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function inPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

/** A Redis of our own, on a port of its own, that keeps its data over a restart; undefined where none is installed. */
export async function ownRedis(): Promise<OwnServer | undefined> {
  const program = inPath('redis-server') ?? inPath('valkey-server');
  if (program === undefined) return undefined;
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'spillway-redis-'));
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    dir,
    '--save',
    '',
    '--appendonly',
    'yes',
  ];
  const run = () => spawn(program, args, { stdio: 'ignore' });
  return new Managed(`redis://127.0.0.1:${port}`, port, dir, run, () => listens(port));
}

function postgresFolder(): string | undefined {
  const root = '/usr/lib/postgresql';
  const installed = existsSync(root)
    ? readdirSync(root)
        .map((version) => join(root, version, 'bin'))
        .filter((folder) => existsSync(join(folder, 'initdb')))
    : [];
  const elsewhere = inPath('initdb');
  return installed.at(-1) ?? (elsewhere === undefined ? undefined : join(elsewhere, '..'));
}

/** PostgreSQL refuses to run as root: then it runs as the user its package made. */
function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A PostgreSQL of our own; undefined where none is installed. */
export async function ownPostgres(): Promise<OwnServer | undefined> {
  const bin = postgresFolder();
  if (bin === undefined) return undefined;
  const user = serverUser();
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'spillway-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(dir, user.uid, user.gid);
  const init = [
    '-D',
    join(dir, 'data'),
    '-U',
    'spillway',
    '-A',
    'trust',
    '--no-sync',
    '-E',
    'UTF8',
    '--locale',
    'C',
  ];
  execFileSync(join(bin, 'initdb'), init, { stdio: 'ignore', cwd: dir, ...user });
  const args = ['-D', join(dir, 'data'), '-p', String(port), '-k', dir, '-c', 'listen_addresses=127.0.0.1'];
  const run = () =>
    spawn(join(bin, 'postgres'), [...args, '-c', 'fsync=off'], {
      stdio: 'ignore',
      cwd: dir,
      detached: false,
      ...user,
    });
  const url = `postgres://spillway@127.0.0.1:${port}/postgres`;
  const ready = () => {
    try {
      execFileSync(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]);
      return true;
    } catch {
      return false;
    }
  };
  return new Managed(url, port, dir, run, ready);
}

/**
 * The one server of its kind of this run. The first file that asks starts it and leaves it running; those that ask
 * meanwhile wait for what it has to say. scripts/jest-servers.mjs made the folder and ends what was started.
 */
async function sharedByRun(
  folder: string,
  name: string,
  own: () => Promise<OwnServer | undefined>,
): Promise<FoundServer | undefined> {
  const told = join(folder, `${name}.json`);
  if (isFirst(join(folder, name))) {
    const server = await own();
    await server?.start();
    writeFileSync(`${told}.part`, JSON.stringify({ url: server?.url, ...server?.leave() }));
    renameSync(`${told}.part`, told);
  }
  await until(name, () => existsSync(told), 2400);
  const { url } = JSON.parse(readFileSync(told, 'utf8')) as { url?: string };
  return url === undefined ? undefined : { url, dispose: async () => {} };
}

/** Of all that ask for it one makes the folder. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function startedForFile(own: () => Promise<OwnServer | undefined>): Promise<FoundServer | undefined> {
  const server = await own();
  await server?.start();
  return server;
}

async function found(
  what: string,
  variable: string,
  standardPort: number,
  standardUrl: string,
  own: () => Promise<OwnServer | undefined>,
): Promise<FoundServer | undefined> {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return { url: given, dispose: async () => {} };
  if (await listens(standardPort)) return { url: standardUrl, dispose: async () => {} };
  const folder = process.env['TEST_SERVERS'];
  const server = await (folder === undefined ? startedForFile(own) : sharedByRun(folder, what, own));
  if (server === undefined) {
    const missing = `no ${what} at ${variable} or its standard port, and none installed to start.`;
    // Where everything has to be shown, nothing may be left out.
    if (process.env['CI'] === 'true') throw new Error(missing);
    process.stderr.write(`\nSKIPPED: ${missing}\n`);
  }
  return server;
}

export function findRedis(): Promise<FoundServer | undefined> {
  return found('Redis', 'REDIS_URL', 6379, 'redis://127.0.0.1:6379', ownRedis);
}

export function findPostgres(): Promise<FoundServer | undefined> {
  const url = 'postgres://postgres@127.0.0.1:5432/postgres';
  return found('PostgreSQL', 'DATABASE_URL', 5432, url, ownPostgres);
}
