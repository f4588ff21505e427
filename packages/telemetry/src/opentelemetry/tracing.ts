import { context, type Tracer } from '@opentelemetry/api';
import type { HeaderHook, HeadersOut, SpillwayEvent } from '@spillway/core';
import type { Shown } from './attributes.js';
import { OperationTrace } from './operation-trace.js';
import { contextHeaders, parentOf, writeContext } from './trace-context.js';

/**
 * The traces of a spillway. Events come in the turn in which they happen, so the context that is active at an
 * operation's first event is that of the code which called.
 */
export class Tracing implements HeaderHook {
  readonly #tracer: Tracer;
  readonly #shown: Shown;
  /** Of operations that have not ended. */
  readonly #running: Map<number, OperationTrace> = new Map();

  constructor(tracer: Tracer, shown: Shown) {
    this.#tracer = tracer;
    this.#shown = shown;
  }

  get names(): readonly string[] {
    return contextHeaders();
  }

  readonly observe = (event: SpillwayEvent): void => {
    if (!('id' in event)) return;
    if (event.type === 'operation.start') {
      const parent = parentOf(context.active(), event.subject);
      this.#running.get(event.id)?.abandon();
      this.#running.set(event.id, new OperationTrace(this.#tracer, this.#shown, parent, event));
      return;
    }
    const operation = this.#running.get(event.id);
    // called before anybody traced, or over already: work that comes back late has no span any more
    if (operation === undefined) return;
    if (event.type === 'attempt.start') operation.attemptStarted(event);
    else if (event.type === 'attempt.end') operation.attemptEnded(event);
    else if (event.type === 'operation.end') {
      this.#running.delete(event.id);
      operation.ended(event);
    } else operation.note(event);
  };

  add(headers: HeadersOut, id: number, attempt: number): void {
    const current = this.#running.get(id)?.contextOf(attempt);
    if (current !== undefined) writeContext(current, headers);
  }

  /** Runs the work of an attempt with its span as the active one: what it calls is the span's child. */
  readonly run = <T>(id: number, attempt: number, work: () => T): T => {
    const current = this.#running.get(id)?.contextOf(attempt);
    return current === undefined ? work() : context.with(current, work);
  };

  /** Ends the spans of whatever runs still. */
  stop(): void {
    for (const operation of this.#running.values()) operation.abandon();
    this.#running.clear();
  }
}
