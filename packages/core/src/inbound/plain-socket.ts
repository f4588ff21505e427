import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * The socket under a response, where it is one of HTTP/1 that this response has for itself. Streams of HTTP/2 share
 * theirs, injected requests have none, and one of pipelined requests has none yet.
 */
export function plainSocketOf(res: ServerResponse, socket: unknown): Socket | undefined {
  return res instanceof ServerResponse && socket instanceof Socket ? socket : undefined;
}
