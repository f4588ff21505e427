import { type Tracer, trace } from '@opentelemetry/api';
import type { HeaderHooks, Observer } from '@spillway/core';
import { Tracing } from './tracing.js';

/** What is needed of a spillway. */
export interface Traceable {
  readonly headerHooks: HeaderHooks;
  subscribe(observer: Observer): () => void;
}

export interface OpenTelemetryOptions {
  /** Default: the global provider's, named `@spillway/telemetry`. `false`: no traces. */
  readonly tracer?: Tracer | false;
  /**
   * Show `url.full` on attempts: with the ids that stand in its path, never with query or credentials. Default false.
   */
  readonly url?: boolean;
}

/**
 * Traces of a spillway by OpenTelemetry's API: an INTERNAL span per operation and, as its children, a CLIENT span per
 * attempt with the conventions of HTTP. Retries, refusals and fallbacks are events of these spans. Each attempt of a
 * client carries the context of its own span, but for dependencies with `propagate: false`. An operation's parent is
 * the active span where it was called; where there is none, what the inbound request brought along. Spans show no key,
 * header, body or, unless asked, path.
 * @returns the way to stop; running spans end with it
 */
export function openTelemetry(spillway: Traceable, options: OpenTelemetryOptions = {}): () => void {
  const tracer = options.tracer ?? trace.getTracer('@spillway/telemetry');
  if (tracer === false) return () => undefined;
  const tracing = new Tracing(tracer, { url: options.url ?? false });
  const quiet = spillway.subscribe(tracing.observe);
  const bare = spillway.headerHooks.use(tracing);
  return () => {
    quiet();
    bare();
    tracing.stop();
  };
}
