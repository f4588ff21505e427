import type { ServerResponse } from 'node:http';

/** Told when somebody answers a response that has been answered for them. */
export interface LateListener {
  onLate(): void;
}

const LISTENER: unique symbol = Symbol('spillway.late');

interface Guarded extends ServerResponse {
  [LISTENER]?: LateListener;
}

function ignored(this: Guarded): Guarded {
  return this;
}

function answered(this: Guarded): Guarded {
  this[LISTENER]?.onLate();
  return this;
}

function wrote(this: Guarded): boolean {
  this[LISTENER]?.onLate();
  return true;
}

/** Calls back as the real ones do, so that whoever waits for it goes on. */
function wroteWith(this: Guarded, ...args: unknown[]): boolean {
  const done = args.findLast((arg) => typeof arg === 'function');
  if (typeof done === 'function') queueMicrotask(done as () => void);
  return wrote.call(this);
}

function endedWith(this: Guarded, ...args: unknown[]): Guarded {
  wroteWith.apply(this, args);
  return this;
}

/** What a late answer may call, each now without effect. Shared by all guarded responses. */
const HARMLESS: Readonly<Record<string, unknown>> = {
  setHeader: ignored,
  appendHeader: ignored,
  setHeaders: ignored,
  removeHeader: ignored,
  addTrailers: ignored,
  writeContinue: ignored,
  writeProcessing: ignored,
  writeEarlyHints: ignored,
  writeHead: answered,
  flushHeaders: answered,
  write: wroteWith,
  end: endedWith,
};

/**
 * Makes a response that has been answered deaf: whatever its handler still does with it neither throws nor reaches
 * the wire. Costs nothing before it is needed.
 */
export function guardLate(res: ServerResponse, listener: LateListener): void {
  (res as Guarded)[LISTENER] = listener;
  Object.assign(res, HARMLESS);
}

/**
 * Once the answer has left the process: whoever asks first whether headers were sent, and destroys the connection if
 * so, as default error handlers do, must not hit the next request on it.
 */
export function denyHeadersSent(res: ServerResponse): void {
  Object.defineProperty(res, 'headersSent', {
    value: false,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

/**
 * Makes a response deaf as soon as it has been ended: two may answer it, and the second must do no harm.
 */
export function guardAfterEnd(res: ServerResponse, listener: LateListener): void {
  (res as Guarded)[LISTENER] = listener;
  const { end } = res;
  res.end = function endThenGuard(this: ServerResponse, ...args: unknown[]): ServerResponse {
    Reflect.apply(end, this, args);
    guardLate(this, listener);
    return this;
  } as ServerResponse['end'];
}
