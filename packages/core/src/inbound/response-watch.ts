import type { ServerResponse } from 'node:http';
import type { GivenHeaders } from './answer-headers.js';
import { onSocketClose } from './socket-close.js';

/** Hears that a response is over: sent to its end, or its connection has closed. Told once or more. */
export interface CloseWatcher {
  onClosed(): void;
}

/** Hears of a response's headers: right before they are written, and right after. */
export interface HeadersWatcher {
  beforeHeaders(status: number, given: GivenHeaders): void;
  afterHeaders(): void;
}

/**
 * Watches for the end of a response. The request's own `close` says nothing about the client: it comes when the body
 * has been read (C-064).
 */
export function watchClose(
  res: ServerResponse,
  socket: ServerResponse['socket'],
  watcher: CloseWatcher,
): void {
  const onClosed = () => watcher.onClosed();
  res.on('close', onClosed);
  // of pipelined requests whose connection closes only the first one's response hears of it
  if (socket === null) res.once('close', onSocketClose(res.req.socket, onClosed));
}

/** `writeHead` in the one form that all of its overloads come down to. */
type PlainWriteHead = (
  this: ServerResponse,
  status: number,
  reason: unknown,
  headers: unknown,
) => ServerResponse;

/**
 * Watches for the headers of a response, which Node tells nobody of. A method of its own makes a response slower
 * than all the rest of the guard, so it is given to those only whose headers matter.
 */
export function watchHeaders(res: ServerResponse, watcher: HeadersWatcher): void {
  const writeHead = res.writeHead as PlainWriteHead;
  res.writeHead = function watchedWriteHead(
    this: ServerResponse,
    status: number,
    reason?: string | GivenHeaders,
    headers?: GivenHeaders,
  ): ServerResponse {
    const given = typeof reason === 'string' ? headers : (headers ?? reason);
    const isFirst = !this.headersSent && status >= 200;
    if (isFirst) watcher.beforeHeaders(status, given);
    const result = writeHead.call(this, status, reason, headers);
    if (isFirst) watcher.afterHeaders();
    return result;
  } as ServerResponse['writeHead'];
}
