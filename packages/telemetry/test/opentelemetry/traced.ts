import { afterEach } from '@jest/globals';
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { type Client, clients } from '@spillway/client';
import {
  createSpillway,
  type DependencyConfig,
  type Spillway,
  type SpillwayEvent,
  type SpillwayOptions,
} from '@spillway/core';
import { type OpenTelemetryOptions, openTelemetry } from '@spillway/telemetry/opentelemetry';
import { type FlakyScript, type FlakyServer, flakyServer } from '@spillway/testing';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

export function cleanUp(clean: () => unknown): void {
  cleanups.push(clean);
}

/** Retries without waiting, and nothing that stops them early. */
const BRISK = {
  retry: { attempts: 3, backoff: { base: '2ms', cap: '2ms', jitter: 'none' }, budget: false },
  breaker: false,
} as const satisfies DependencyConfig;

export interface Tracer {
  readonly provider: NodeTracerProvider;
  readonly exporter: InMemorySpanExporter;
}

/** An SDK with an exporter in memory. `register`: globally, with its context manager and W3C propagator. */
export function sdk(register = true): Tracer {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  if (register) provider.register();
  cleanUp(async () => {
    trace.disable();
    context.disable();
    propagation.disable();
    await provider.shutdown();
  });
  return { provider, exporter };
}

export interface Traced extends Tracer {
  readonly spillway: Spillway<{ quotes: never }>;
  readonly client: Client;
  readonly server: FlakyServer;
  readonly events: SpillwayEvent[];
  readonly stop: () => void;
  /** Spans that have ended, by kind, in the order of their ends. */
  operations(): ReadableSpan[];
  attempts(): ReadableSpan[];
}

export interface TracedOptions {
  readonly policy?: DependencyConfig<never>;
  readonly spillway?: SpillwayOptions;
  readonly telemetry?: OpenTelemetryOptions;
  readonly tracer?: Tracer;
}

/** A client of the dependency `quotes`, traced, and the scripted server that it calls. */
export async function traced(script: FlakyScript, options: TracedOptions = {}): Promise<Traced> {
  const { provider, exporter } = options.tracer ?? sdk();
  const server = await flakyServer(script);
  const quotes = { ...BRISK, baseUrl: server.url, ...options.policy };
  const events: SpillwayEvent[] = [];
  const observers = [(event: SpillwayEvent) => void events.push(event)];
  const spillway = createSpillway<{ quotes: never }>(
    { service: 'shop', dependencies: { quotes } },
    { observers, ...options.spillway },
  );
  const stop = openTelemetry(spillway, options.telemetry);
  cleanUp(async () => {
    stop();
    spillway.close();
    await server.close();
  });
  const ofKind = (kind: SpanKind) => exporter.getFinishedSpans().filter((span) => span.kind === kind);
  return {
    provider,
    exporter,
    spillway,
    client: clients(spillway)('quotes'),
    server,
    events,
    stop,
    operations: () => ofKind(SpanKind.INTERNAL),
    attempts: () => ofKind(SpanKind.CLIENT),
  };
}

/** `traceparent` of a span, as it has to arrive. */
export function parentOf(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}
