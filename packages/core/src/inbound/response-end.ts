import type { IncomingMessage, ServerResponse } from 'node:http';
import { plainSocketOf } from './plain-socket.js';

/**
 * Has the whole answer been sent? Asked once the response has closed. Node takes what stood in the buffer of a broken
 * connection for finished, and a cancelled stream of HTTP/2 that nobody answered too.
 */
export function wasSent(req: IncomingMessage, res: ServerResponse): boolean {
  if (!res.writableEnded || !res.writableFinished) return false;
  // a finished answer has let go of its socket; this one was given to a socket that was closed already
  if (plainSocketOf(res, res.socket) !== undefined) return false;
  const { errored } = req.socket as Partial<IncomingMessage['socket']>;
  return errored === undefined || errored === null;
}

/**
 * Has the client gone before the request was taken in? For responses without a socket of their own: a pipelined
 * one's connection, and the stream of one of HTTP/2, which tell of their end nobody who listens afterwards.
 */
export function isGone(
  req: IncomingMessage,
  res: ServerResponse & { readonly stream?: { readonly destroyed: boolean } },
  socket: ServerResponse['socket'],
): boolean {
  if (res.destroyed) return true;
  return socket === null ? req.socket.destroyed : res.stream?.destroyed === true;
}
