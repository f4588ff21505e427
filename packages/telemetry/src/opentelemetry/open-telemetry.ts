import { createNoopMeter, type Meter, metrics, type Tracer, trace } from '@opentelemetry/api';
import type { HeaderHooks } from '@spillway/core';
import type { MeasuredSpillway } from '../figures/source.js';
import { checkMethod, checkNames, misuse } from '../given-options.js';
import { measure } from './measuring.js';
import { Tracing } from './tracing.js';

/** What is needed of a spillway. */
export interface Traceable extends MeasuredSpillway {
  readonly headerHooks: HeaderHooks;
}

export interface OpenTelemetryOptions {
  /** Default: the global provider's, named `@spillway/telemetry`. `false`: no traces. */
  readonly tracer?: Tracer | false;
  /** Default: the global provider's; register the SDK before. `false`: no metrics. */
  readonly meter?: Meter | false;
  /**
   * Show `url.full` on attempts: with the ids that stand in its path, never with query or credentials. Default false.
   */
  readonly url?: boolean;
}

const NAME = '@spillway/telemetry';
const CALLER = 'openTelemetry';

/**
 * Traces and metrics of a spillway by OpenTelemetry's API.
 *
 * Traces: an INTERNAL span per operation and, as its children, a CLIENT span per attempt with the conventions of HTTP.
 * Retries, refusals and fallbacks are events of these spans. Each attempt of a client carries the context of its own
 * span, but for dependencies with `propagate: false`. An operation's parent is the active span where it was called;
 * where there is none, what the inbound request brought along. The work of an attempt runs with its span as the active one.
 * Spans show no key, header, body or, unless asked, path.
 *
 * Metrics: those of docs/reference/metrics.md, under the names that OpenTelemetry gives them.
 * @returns the way to stop; running spans end with it
 * @throws SpillwayError ERR_CONFIG naming the option that is wrong
 */
export function openTelemetry(spillway: Traceable, options: OpenTelemetryOptions = {}): () => void {
  checkNames(CALLER, options, ['tracer', 'meter', 'url']);
  const { tracer = trace.getTracer(NAME), meter = metrics.getMeter(NAME), url = false } = options;
  if (tracer !== false) checkMethod(CALLER, 'tracer', tracer, 'startSpan');
  if (meter !== false) checkMethod(CALLER, 'meter', meter, 'createHistogram');
  if (typeof url !== 'boolean') throw misuse(CALLER, `url: '${String(url)}' is neither true nor false`);
  const stops = [
    ...(tracer === false ? [] : traceTo(spillway, new Tracing(tracer, { url }))),
    // without an SDK nobody would ever read them
    ...(meter === false || meter === createNoopMeter() ? [] : [measure(spillway, meter)]),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function traceTo(spillway: Traceable, tracing: Tracing): (() => void)[] {
  return [
    spillway.subscribe(tracing.observe),
    spillway.headerHooks.use(tracing),
    spillway.events.surroundWith(tracing.run),
    () => tracing.stop(),
  ];
}
