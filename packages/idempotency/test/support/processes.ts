import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresStore } from '@spillway/idempotency/postgres';
import pg from 'pg';
import { findPostgres, findRedis } from './real-servers.js';
import { openSqlite, temporaryFolder, unique } from './store-rigs.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../../..');

/** The newest file under a folder, as ms. */
function newest(folder: string, pattern: RegExp): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    pattern.test(name),
  );
  return Math.max(0, ...files.map((name) => statSync(join(folder, name)).mtimeMs));
}

function isBuilt(): boolean {
  const own = join(root, 'packages/idempotency');
  if (!existsSync(join(own, 'dist/index.js'))) return false;
  return newest(join(own, 'dist'), /\.js$/) >= newest(join(own, 'src'), /\.ts$/);
}

/** Processes run the built package: this brings it up to date where `npm test` has not done so. */
export function build(): void {
  if (isBuilt()) return;
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  spawnSync(process.execPath, [tsc, '-b', 'packages/idempotency'], { cwd: root });
  if (!isBuilt()) throw new Error('packages/idempotency could not be built: run npm run build');
}

/** One server process. */
export class ServerProcess {
  readonly #config: object;
  #child: ChildProcess | undefined;
  #port = 0;
  #unwanted = false;
  /** Store errors it told. */
  readonly storeErrors: string[] = [];

  constructor(config: object) {
    this.#config = config;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get alive(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    const config = JSON.stringify({ ...this.#config, port: this.#port });
    const child = spawn(process.execPath, [join(here, 'server-process.mjs'), config], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let errors = '';
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', (chunk) => {
        for (const line of String(chunk).split('\n')) {
          if (line.startsWith('store-error')) this.storeErrors.push(line);
          if (line.startsWith('port ')) {
            this.#port = Number(line.slice(5));
            resolve();
          }
        }
      });
      child.once('exit', () => reject(new Error(`the server process ended: ${errors}`)));
    });
  }

  /** Starts it again, on the same port, when it has died. */
  async revive(): Promise<void> {
    if (!this.alive) await this.start();
  }

  /** Starts it again whenever it has died, until it is killed from here. @returns how often it was */
  supervise(): () => number {
    let revived = 0;
    const watch = () =>
      this.#child?.once('exit', () => {
        if (this.#unwanted) return;
        revived++;
        this.start().then(watch, () => {});
      });
    watch();
    return () => revived;
  }

  async kill(): Promise<void> {
    this.#unwanted = true;
    const child = this.#child;
    if (child === undefined || !this.alive) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

/** What servers of one test share: a store and the file of their effects. */
export interface SharedStore {
  readonly config: Readonly<Record<string, unknown>>;
  readonly effects: { readonly runs: () => number; readonly payments: () => number };
  /** Payments of a key that were made in the store's own database. */
  paidTogether(key: string): Promise<number>;
  server(more?: object): Promise<ServerProcess>;
  dispose(): Promise<void>;
}

async function shared(
  config: Record<string, unknown>,
  own?: { paid(key: string): Promise<number>; drop(): Promise<void> },
): Promise<SharedStore> {
  const folder = temporaryFolder();
  const file = join(folder.path, 'effects.db');
  const all = { ...config, effects: file, file };
  const servers: ServerProcess[] = [];
  const db = openSqlite(file);
  db.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE IF NOT EXISTS runs (key TEXT, pid INTEGER)');
  db.exec('CREATE TABLE IF NOT EXISTS payments (id TEXT PRIMARY KEY, key TEXT)');
  const count = (table: string) =>
    (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
  return {
    config: all,
    effects: { runs: () => count('runs'), payments: () => count('payments') },
    async paidTogether(key) {
      if (own !== undefined) return own.paid(key);
      const row = db.prepare('SELECT count(*) AS n FROM payments WHERE key = ?').get(key);
      return (row as { n: number }).n;
    },
    async server(more = {}) {
      const server = new ServerProcess({ ...all, ...more });
      servers.push(server);
      await server.start();
      return server;
    },
    async dispose() {
      await Promise.all(servers.map((server) => server.kill()));
      db.close();
      folder.remove();
      await own?.drop();
    },
  };
}

async function postgresShared(url: string): Promise<SharedStore> {
  const table = unique('p');
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  await postgresStore(pool, { table }).migrate();
  await pool.query('CREATE TABLE IF NOT EXISTS payments (id text PRIMARY KEY, key text)');
  return shared(
    { store: 'postgres', url, table },
    {
      paid: async (key) =>
        Number((await pool.query('SELECT count(*) AS n FROM payments WHERE key = $1', [key])).rows[0].n),
      drop: async () => {
        await pool.query(`DROP TABLE ${table}`);
        await pool.end();
      },
    },
  );
}

/** Every store that processes can share. */
export async function sharedStores(): Promise<{
  readonly makers: readonly (readonly [string, () => Promise<SharedStore>])[];
  readonly postgresUrl: string | undefined;
  readonly dispose: () => Promise<void>;
}> {
  const [redis, postgres] = await Promise.all([findRedis(), findPostgres()]);
  const makers: [string, () => Promise<SharedStore>][] = [['sqlite', () => shared({ store: 'sqlite' })]];
  if (redis !== undefined) {
    const { url } = redis;
    makers.push(
      ['node-redis', () => shared({ store: 'node-redis', url, prefix: `${unique('p')}:` })],
      ['ioredis', () => shared({ store: 'ioredis', url, prefix: `${unique('p')}:` })],
    );
  }
  if (postgres !== undefined) makers.push(['postgres', () => postgresShared(postgres.url)]);
  const dispose = async () => {
    await Promise.all([redis?.dispose(), postgres?.dispose()]);
  };
  return { makers, postgresUrl: postgres?.url, dispose };
}
