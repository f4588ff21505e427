import {
  type Context,
  createTraceState,
  propagation,
  type SpanContext,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { HeadersOut, Subject } from '@spillway/core';

const PARENT = 'traceparent';
const STATE = 'tracestate';
/** W3C Trace Context, version 00, which ends with the flags, and those to come, which may have more. */
const FORM = /^(?!ff|00.{53}.)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Names of all headers that `writeContext` may set. */
export function contextHeaders(): readonly string[] {
  return [...new Set([PARENT, STATE, ...propagation.fields()])];
}

/** Writes a context as the application's propagator does; where none is registered, as W3C Trace Context. */
export function writeContext(context: Context, headers: HeadersOut): void {
  if (propagation.fields().length > 0) {
    propagation.inject(context, headers);
    return;
  }
  const span = trace.getSpanContext(context);
  if (span === undefined || !trace.isSpanContextValid(span)) return;
  headers[PARENT] = `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
  const state = span.traceState?.serialize();
  if (state !== undefined && state !== '') headers[STATE] = state;
  else delete headers[STATE];
}

/** The context that an operation's parent lives in: the active one, else what the inbound request brought along. */
export function parentOf(active: Context, subject: Subject): Context {
  if (trace.getSpanContext(active) !== undefined) return active;
  const headers = subject.inboundHeaders;
  if (headers === undefined) return active;
  if (propagation.fields().length > 0) return propagation.extract(active, headers);
  const remote = readParent(headers[PARENT], headers[STATE]);
  return remote === undefined ? active : trace.setSpanContext(active, remote);
}

type Header = string | readonly string[] | undefined;

function readParent(parent: Header, state: Header): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof parent === 'string' && FORM.exec(parent)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const span: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  };
  if (!trace.isSpanContextValid(span)) return undefined;
  return typeof state === 'string' ? { ...span, traceState: createTraceState(state) } : span;
}
