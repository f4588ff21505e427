import type { EventEmitter } from 'node:events';
import type { ContextCarrier } from '../context/context.js';
import type { InboundRequest } from './inbound-request.js';

/**
 * Runs the handlers of a request with its call as the current one. Its `req` and `res` tell their events within it
 * too: body parsers go on from the events of a socket, which know no request (C-072, C-073).
 */
export function runInContext<T>(
  context: ContextCarrier | undefined,
  request: InboundRequest,
  work: () => T,
): T {
  if (context === undefined) return work();
  const { call } = request;
  return context.run(call, () => {
    call.ambient = context.bind((then: () => void) => then());
    bindEvents(context, request.req);
    bindEvents(context, request.res);
    return work();
  });
}

function bindEvents(context: ContextCarrier, emitter: EventEmitter): void {
  const { emit } = emitter;
  emitter.emit = context.bind((...args: Parameters<EventEmitter['emit']>) =>
    Reflect.apply(emit, emitter, args),
  );
}
