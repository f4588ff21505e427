import type { IncomingMessage } from 'node:http';

/** What a stretch of reading ahead came to. */
export type ReadAhead = 'complete' | 'enough' | 'gone';

/** Has this request a body to wait for? */
export function expectsBody(req: IncomingMessage): boolean {
  if (req.headers['transfer-encoding'] !== undefined) return true;
  const length = req.headers['content-length'];
  return length !== undefined && Number(length) > 0;
}

/** Has nobody begun to read it? */
export function unread(req: IncomingMessage): boolean {
  return req.readableFlowing === null && !req.readableDidRead && req.listenerCount('readable') === 0;
}

/**
 * Reads an unread body, or its first `limit` bytes, and puts the bytes back: parsers that come later find them all.
 * `look` sees them. Resolves `gone` when the client went away in the middle.
 */
export function readAhead(
  req: IncomingMessage,
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
      if (req.complete) done('complete');
      else if (bytes >= limit) done('enough');
    };
    req.on('readable', onReadable);
    req.on('close', onClose);
  });
}
