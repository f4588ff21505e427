import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTRIB } from '../support/contrib.js';

export const PROMTOOL: string = process.env['PROMTOOL'] ?? '/usr/bin/promtool';
const PROMETHEUS = process.env['PROMETHEUS'] ?? '/usr/bin/prometheus';

/** One series of an answer. */
export interface Answer {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** A Prometheus of Debian's that scrapes one target twice a second. */
export interface PrometheusServer {
  query(expr: string): Promise<Answer[]>;
  /** What it says at a path of its API. */
  get(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts one. @throws Error when it is not ready within 30 s */
export async function startPrometheus(targetPort: number): Promise<PrometheusServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'spillway-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  writeFileSync(config, configFor(targetPort));
  const child = spawn(
    PROMETHEUS,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  const server: PrometheusServer = {
    get,
    query: async (expr) => answersOf(await get(`/api/v1/query?query=${encodeURIComponent(expr)}`), expr),
    stop: async () => {
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await ready(port);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

function configFor(port: number): string {
  return `global:
  scrape_interval: 1s
  scrape_timeout: 1s
  evaluation_interval: 1s
rule_files: ['${CONTRIB}prometheus/alerts.yml']
scrape_configs:
  - job_name: storefront
    static_configs: [{ targets: ['127.0.0.1:${port}'] }]
`;
}

function answersOf(body: unknown, expr: string): Answer[] {
  const { status, data, error } = body as { status: string; data?: { result: Answer[] }; error?: string };
  if (status !== 'success' || data === undefined) throw new Error(`${expr}: ${error}`);
  return data.result;
}

async function ready(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  throw new Error('Prometheus is not ready after 30 s');
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
