import type { IncomingMessage } from 'node:http';

const LONGEST_BYTES = 4096;

export type Body = { readonly value: unknown } | { readonly status: 400 | 413; readonly detail: string };

/**
 * The JSON of a request, or what a body parser of the application has made of it already; undefined when its client
 * hung up before it was all there.
 */
export async function readBody(req: IncomingMessage): Promise<Body | undefined> {
  const { body } = req as { body?: unknown };
  if (req.readableEnded) {
    if (body !== undefined) return { value: body };
    const detail = 'The body was read before it came here: mount the dashboard before what parses bodies';
    return { status: 400, detail };
  }
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LONGEST_BYTES) return { status: 413, detail: `At most ${LONGEST_BYTES} bytes` };
      chunks.push(chunk);
    }
  } catch (error) {
    if (req.readableAborted || req.destroyed) return undefined;
    throw error;
  }
  return parsed(Buffer.concat(chunks).toString('utf8'));
}

function parsed(text: string): Body {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { status: 400, detail: 'The body is no JSON' };
  }
}
