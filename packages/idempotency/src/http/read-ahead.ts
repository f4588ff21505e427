import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** A request, or the stream that a framework reads in its place. `complete`: everything has come in. */
export type Incoming = Readable & { readonly complete: boolean };

/** What a stretch of reading ahead came to. */
export type ReadAhead = 'complete' | 'enough' | 'gone';

/** Has this request a body to wait for? */
export function expectsBody(req: IncomingMessage): boolean {
  if (req.headers['transfer-encoding'] !== undefined) return true;
  const stream = streamOf(req);
  if (stream !== undefined) return !stream.endAfterHeaders;
  const length = req.headers['content-length'];
  return length !== undefined && Number(length) > 0;
}

/** HTTP/2 says in its frames whether a body comes, and whether all of it is there (RFC 9113, 8.1). */
function streamOf(
  req: object,
): { readonly endAfterHeaders: boolean; readonly readableEnded: boolean } | undefined {
  return (req as { stream?: { readonly endAfterHeaders: boolean; readonly readableEnded: boolean } }).stream;
}

function isComplete(req: Incoming): boolean {
  return req.complete || streamOf(req)?.readableEnded === true;
}

/** Has nobody begun to read it? */
export function unread(req: Incoming): boolean {
  return req.readableFlowing === null && !req.readableDidRead && req.listenerCount('readable') === 0;
}

/**
 * Reads an unread body, or its first `limit` bytes, and puts the bytes back: parsers that come later find them all.
 * `look` sees them. Resolves `gone` when the client went away in the middle.
 */
export function readAhead(
  req: Incoming,
  limit: number,
  look: (bytes: Uint8Array) => void,
): Promise<ReadAhead> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = (how: ReadAhead): void => {
      req.off('readable', onReadable);
      req.off('close', onClose);
      // Before `end` can be emitted, which waits for the next tick: then the stream is as nobody had read it.
      if (chunks.length > 0) req.unshift(Buffer.concat(chunks, bytes));
      resolve(how);
    };
    const onClose = (): void => done('gone');
    const onReadable = (): void => {
      // Only what is there: reading an empty, complete stream would emit its `end` to nobody.
      while (req.readableLength > 0 && bytes < limit) {
        const chunk = req.read() as Buffer | null;
        if (chunk === null) break;
        chunks.push(chunk);
        bytes += chunk.byteLength;
        look(chunk);
      }
      if (isComplete(req)) done('complete');
      else if (bytes >= limit) done('enough');
    };
    req.on('readable', onReadable);
    req.on('close', onClose);
  });
}
