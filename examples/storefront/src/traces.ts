import { SpanKind } from '@opentelemetry/api';
import {
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import { openTelemetry, type Traceable } from '@spillway/telemetry/opentelemetry';
import { report } from './processes/announce.js';

/** One trace in so many ms is enough to read. */
const EVERY_MS = 1_000;

/** Traces a spillway with OpenTelemetry's SDK, and tells the parent of those that did not go smoothly. */
export function tellTraces(spillway: Traceable): void {
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new Teller())] });
  provider.register();
  openTelemetry(spillway, { meter: false });
}

/** Puts the spans of an operation together when it ends; its attempts have ended before it. */
class Teller implements SpanExporter {
  readonly #attempts = new Map<string, ReadableSpan[]>();
  #toldAt = Number.NEGATIVE_INFINITY;

  export(spans: readonly ReadableSpan[], done: (result: { code: number }) => void): void {
    for (const span of spans) {
      if (span.kind === SpanKind.CLIENT) this.#keep(span);
      else this.#ended(span);
    }
    done({ code: 0 });
  }

  async shutdown(): Promise<void> {
    this.#attempts.clear();
  }

  #keep(attempt: ReadableSpan): void {
    const operation = attempt.parentSpanContext?.spanId ?? '';
    this.#attempts.set(operation, [...(this.#attempts.get(operation) ?? []), attempt]);
  }

  #ended(operation: ReadableSpan): void {
    const { spanId } = operation.spanContext();
    const attempts = this.#attempts.get(spanId) ?? [];
    this.#attempts.delete(spanId);
    const isSmooth = operation.attributes['spillway.outcome'] === 'success' && attempts.length === 1;
    if (isSmooth || performance.now() - this.#toldAt < EVERY_MS) return;
    this.#toldAt = performance.now();
    report({ type: 'trace', text: [operation, ...attempts].flatMap(lines).join('\n') });
  }
}

function lines(span: ReadableSpan): string[] {
  const { attributes, events, kind, name } = span;
  const indent = kind === SpanKind.CLIENT ? '    ' : '';
  const head = kind === SpanKind.CLIENT ? '' : `trace ${span.spanContext().traceId.slice(0, 8)}  `;
  const said = ['http.response.status_code', 'error.type', 'spillway.outcome'].map(
    (name) => attributes[name],
  );
  const resent = attributes['http.request.resend_count'];
  const facts = [...said, resent === undefined ? undefined : `resend ${resent}`];
  const shown = [...new Set(facts.filter((fact) => fact !== undefined).map(String))].join(' ');
  return [
    `${indent}${head}${name}  ${millis(span)} ms  ${shown}`,
    ...events.map(
      (event) =>
        `${indent}  - ${event.name} ${Object.values(event.attributes ?? {})
          .map(plain)
          .join(' ')}`,
    ),
  ];
}

function plain(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}

function millis({ duration: [seconds, nanos] }: ReadableSpan): string {
  return (seconds * 1000 + nanos / 1e6).toFixed(1);
}
