import type { ServerResponse } from 'node:http';
import type { GivenHeaders } from './answer-headers.js';
import { onSocketClose } from './socket-close.js';

/** Hears of the two events in a response's life that matter: its headers go out, and it is over. */
export interface ResponseWatcher {
  /** The `writeHead` from before it was wrapped. */
  readonly writeHead: ServerResponse['writeHead'];
  beforeHeaders(status: number, given: GivenHeaders): void;
  afterHeaders(): void;
  /** It was sent to its end, or its connection has closed. Told once. */
  onClosed(): void;
}

const WATCHER: unique symbol = Symbol('spillway.inbound');

interface Watched extends ServerResponse {
  [WATCHER]?: ResponseWatcher;
}

/** Who watches a response already. */
export function watcherOf(res: ServerResponse): ResponseWatcher | undefined {
  return (res as Watched)[WATCHER];
}

/**
 * Watches a response. One property and one listener, both shared by all responses: no closure a request. The
 * request's own `close` says nothing about the client, it comes when the body has been read (C-064).
 */
export function watch(res: ServerResponse, watcher: ResponseWatcher): void {
  const watched = res as Watched;
  watched[WATCHER] = watcher;
  watched.writeHead = watchedWriteHead as ServerResponse['writeHead'];
  watched.on('close', onClose);
  // of pipelined requests whose connection closes only the first one's response hears of it
  if (res.socket === null) watchSocket(watched, watcher);
}

/** `writeHead` in the one form that all of its overloads come down to. */
type PlainWriteHead = (
  this: ServerResponse,
  status: number,
  reason: unknown,
  headers: unknown,
) => ServerResponse;

function watchedWriteHead(
  this: Watched,
  status: number,
  reason?: string | GivenHeaders,
  headers?: GivenHeaders,
): ServerResponse {
  const watcher = this[WATCHER];
  if (watcher === undefined) throw new TypeError('writeHead was taken from another response');
  const { writeHead } = watcher;
  const given = typeof reason === 'string' ? headers : (headers ?? reason);
  const isFirst = !this.headersSent && status >= 200;
  if (isFirst) watcher.beforeHeaders(status, given);
  const result = (writeHead as PlainWriteHead).call(this, status, reason, headers);
  if (isFirst) watcher.afterHeaders();
  return result;
}

function onClose(this: Watched): void {
  this[WATCHER]?.onClosed();
}

function watchSocket(res: Watched, watcher: ResponseWatcher): void {
  const stop = onSocketClose(res.req.socket, () => watcher.onClosed());
  res.once('close', stop);
}
