import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { EventOf, SpillwayEvent } from '@spillway/core';
import type { Shown } from './attributes.js';
import { attemptAttributes, attemptError, attemptName, operationError, operationName } from './attributes.js';
import { writeNote } from './notes.js';

/** The spans of one operation: its own, and one for each attempt that has not ended. Each ends once. */
export class OperationTrace {
  readonly #tracer: Tracer;
  readonly #shown: Shown;
  readonly #start: EventOf<'operation.start'>;
  readonly #span: Span;
  readonly #context: Context;
  readonly #attempts: Map<number, Span> = new Map();

  constructor(tracer: Tracer, shown: Shown, parent: Context, start: EventOf<'operation.start'>) {
    this.#tracer = tracer;
    this.#shown = shown;
    this.#start = start;
    const attributes: Attributes = {
      'spillway.dependency': start.dependency,
      'spillway.operation': start.operation,
      'spillway.operation.id': start.id,
    };
    this.#span = tracer.startSpan(operationName(start), { kind: SpanKind.INTERNAL, attributes }, parent);
    this.#context = trace.setSpan(parent, this.#span);
  }

  attemptStarted(event: EventOf<'attempt.start'>): void {
    const attributes = attemptAttributes(event, this.#start.subject, this.#shown);
    const options = { kind: SpanKind.CLIENT, attributes };
    const span = this.#tracer.startSpan(attemptName(this.#start), options, this.#context);
    this.#attempts.get(event.attempt)?.end();
    this.#attempts.set(event.attempt, span);
  }

  /** The context of a running attempt: what goes out with its request. */
  contextOf(attempt: number): Context | undefined {
    const span = this.#attempts.get(attempt);
    return span === undefined ? undefined : trace.setSpan(this.#context, span);
  }

  attemptEnded(event: EventOf<'attempt.end'>): void {
    const span = this.#attempts.get(event.attempt);
    if (span === undefined) return;
    this.#attempts.delete(event.attempt);
    const { kind, result, sent, status } = event;
    span.setAttributes({ 'spillway.kind': kind, 'spillway.result': result, 'spillway.sent': sent });
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    fail(span, attemptError(event));
    span.end();
  }

  /** Whatever happens between: on the span of the attempt that it befalls, else on the operation's. */
  note(event: SpillwayEvent): void {
    const own = 'attempt' in event ? this.#attempts.get(event.attempt) : undefined;
    writeNote(own ?? this.#span, event);
  }

  ended(event: EventOf<'operation.end'>): void {
    const { outcome, attempts, code, stopped, sent } = event;
    this.#span.setAttributes({ 'spillway.outcome': outcome, 'spillway.attempts': attempts });
    if (code !== undefined) this.#span.setAttribute('spillway.code', code);
    if (stopped !== undefined) this.#span.setAttribute('spillway.stopped', stopped);
    if (sent !== undefined) this.#span.setAttribute('spillway.sent', sent);
    fail(this.#span, operationError(event));
    this.abandon();
  }

  /** Ends what has not ended. */
  abandon(): void {
    for (const span of this.#attempts.values()) span.end();
    this.#attempts.clear();
    this.#span.end();
  }
}

function fail(span: Span, type: string | undefined): void {
  if (type === undefined) return;
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
