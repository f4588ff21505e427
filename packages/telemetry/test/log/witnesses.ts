import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { clients } from '@spillway/client';
import {
  createSpillway,
  type DependencyConfig,
  isSpillwayError,
  type OperationOutcome,
  type Spillway,
  type SpillwayOptions,
  type SpillwaySnapshot,
  seededRandom,
} from '@spillway/core';
import { deadLetters } from '@spillway/telemetry/deadletter';
import { logEvents } from '@spillway/telemetry/log';
import { openTelemetry } from '@spillway/telemetry/opentelemetry';
import { manualClock } from '@spillway/testing';
import type { Line } from './logged.js';

/** What many operations came to, by everyone who tells of them. */
export interface Witnesses {
  readonly operations: number;
  /** Counted by those who called. */
  readonly seen: Readonly<Record<OperationOutcome, number>>;
  /** Requests that the scripted server got, and connections that it refused. */
  readonly asked: number;
  readonly snapshot: SpillwaySnapshot;
  readonly lines: readonly Line[];
  readonly spans: readonly ReadableSpan[];
  readonly letters: readonly Line[];
}

type Two = Spillway<{ quotes: never; gone: never }>;
type Policies = { readonly quotes: DependencyConfig<never>; readonly gone: DependencyConfig<never> };

const ENOUGH = new Error('enough');

function watched(dependencies: Policies, options: SpillwayOptions = {}) {
  const spillway: Two = createSpillway<{ quotes: never; gone: never }>({ dependencies }, options);
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  openTelemetry(spillway, { tracer: provider.getTracer('test'), meter: false });
  const lines: Line[] = [];
  logEvents(spillway, { level: 'debug', write: (line) => void lines.push(JSON.parse(line) as Line) });
  return { spillway, exporter, lines };
}

async function witnessed(
  { spillway, exporter, lines }: ReturnType<typeof watched>,
  operations: number,
  operate: (number: number) => Promise<OperationOutcome>,
  drive: (start: (number: number) => Promise<void>) => Promise<void>,
): Promise<Omit<Witnesses, 'asked'>> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-witnesses-'));
  const file = join(directory, 'dead.jsonl');
  const dead = deadLetters(spillway, { file, queue: operations, maxBytes: 1_000_000_000 });
  const seen = { success: 0, degraded: 0, failed: 0, refused: 0, cancelled: 0 };
  await drive(async (number) => {
    seen[await operate(number)]++;
  });
  await dead.close();
  const letters = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  await rm(directory, { recursive: true });
  return {
    operations,
    seen,
    snapshot: spillway.snapshot(),
    lines,
    spans: exporter.getFinishedSpans(),
    letters: letters.map((line) => JSON.parse(line) as Line),
  };
}

/** What their caller sees of operations that end with this error. */
function outcomeOfError(error: unknown, asked: boolean): OperationOutcome {
  if (error === ENOUGH) return 'cancelled';
  // what is none of ours is an answer: a 404
  if (!isSpillwayError(error)) return 'success';
  return asked ? 'failed' : 'refused';
}

/** Functions against a script, on a clock of the test's own; twice a minute the dependency is sick. */
export async function inVirtualTime(operations: number): Promise<Witnesses> {
  const random = seededRandom(42);
  const clock = manualClock();
  const policy = { attempt: { timeout: '400ms' }, deadline: '1s', breaker: { openFor: '2s' } } as const;
  const scene = watched({ quotes: policy, gone: policy }, { clock, random: seededRandom(41) });
  let asked = 0;
  const answer = (): Promise<Response> => {
    asked++;
    const isSick = clock.now() % 30_000 > 20_000;
    const draw = random() * (isSick ? 1 : 8);
    if (draw < 0.2) {
      const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      return Promise.reject(Object.assign(new TypeError('fetch failed'), { cause }));
    }
    if (draw < 0.3) return new Promise(() => undefined);
    return Promise.resolve(new Response(null, { status: draw < 0.6 ? 503 : draw < 0.7 ? 404 : 200 }));
  };
  const operate = async (): Promise<OperationOutcome> => {
    let attempts = 0;
    const controller = new AbortController();
    const fate = random();
    if (fate < 0.02) controller.abort(ENOUGH);
    const options = {
      idempotent: random() < 0.8,
      signal: controller.signal,
      ...(random() < 0.2 ? { fallback: () => 'mended' as const } : {}),
    };
    const ended = scene.spillway.dependency(random() < 0.5 ? 'gone' : 'quotes').settle(() => {
      attempts++;
      return answer();
    }, options);
    if (fate < 0.05) controller.abort(ENOUGH);
    const outcome = await ended;
    if (outcome.ok) return outcome.value === 'mended' ? 'degraded' : 'success';
    return outcomeOfError(outcome.error, attempts > 0);
  };
  const told = await witnessed(scene, operations, operate, async (start) => {
    const running: Promise<void>[] = [];
    for (let number = 0; number < operations; number++) {
      running.push(start(number));
      if (number % 20 === 19) await clock.advance(400);
    }
    await clock.advance(10_000);
    await Promise.all(running);
  });
  scene.spillway.close();
  return { ...told, asked };
}

/** A server that does as a die says, counts every request, and tells whoever waits for one. */
class ScriptedServer {
  hits = 0;
  url = '';
  readonly arrivals: Map<string, () => void> = new Map();
  readonly #random = seededRandom(43);
  readonly #server: Server = createServer((req, res) => this.#answer(req, res));

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    this.hits++;
    this.arrivals.get(req.url ?? '')?.();
    const draw = this.#random();
    if (draw < 0.06) req.socket.destroy();
    else res.writeHead(draw < 0.3 ? 503 : draw < 0.4 ? 500 : draw < 0.45 ? 404 : 200).end('{}');
  }
}

/** Requests to a scripted server over real sockets, and to a port where nobody listens. */
export async function overSockets(operations: number): Promise<Witnesses> {
  const random = seededRandom(42);
  const server = await new ScriptedServer().listen();
  const gone = await new ScriptedServer().listen();
  gone.close();
  const policy = {
    retry: { attempts: 3, backoff: { base: 0, cap: 1, jitter: 'full' }, budget: false },
    attempt: { timeout: '50s' },
    deadline: '55s',
  } as const;
  const scene = watched({
    quotes: { ...policy, breaker: false, baseUrl: server.url },
    gone: { ...policy, breaker: { consecutive: 9, openFor: '30s' }, baseUrl: gone.url },
  });
  const client = clients(scene.spillway);
  const operate = async (number: number): Promise<OperationOutcome> => {
    const controller = new AbortController();
    const fate = random();
    const isGone = random() < 0.1;
    if (fate < 0.03) controller.abort(ENOUGH);
    else if (fate < 0.1) server.arrivals.set(`/v1/${number}`, () => controller.abort(ENOUGH));
    const mended = random() < 0.3 ? { fallback: () => 'mended' } : {};
    const options = { signal: controller.signal, ...mended };
    try {
      const answer: unknown = await client(isGone ? 'gone' : 'quotes').get(`v1/${number}`, options);
      return (answer as { degraded?: true }).degraded === true ? 'degraded' : 'success';
    } catch (error) {
      return outcomeOfError(error, !isSpillwayError(error, 'ERR_BREAKER_OPEN'));
    }
  };
  const told = await witnessed(scene, operations, operate, async (start) => {
    let next = 0;
    const worker = async () => {
      while (next < operations) await start(next++);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  });
  scene.spillway.close();
  server.close();
  const unsent = told.lines.filter((line) => line['event'] === 'attempt.end' && line['sent'] === 'no');
  return { ...told, asked: server.hits + unsent.length };
}
