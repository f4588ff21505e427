import type { IncomingMessage } from 'node:http';

const LONGEST_BYTES = 4096;

export type Body = { readonly value: unknown } | { readonly status: 400 | 413; readonly detail: string };

/** The JSON of a request, or what a body parser of the application has made of it already. */
export async function readBody(req: IncomingMessage): Promise<Body> {
  const { body } = req as { body?: unknown };
  if (req.readableEnded) {
    if (body !== undefined) return { value: body };
    const detail = 'The body was read before it came here: mount the dashboard before what parses bodies';
    return { status: 400, detail };
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_BYTES) return { status: 413, detail: `At most ${LONGEST_BYTES} bytes` };
    chunks.push(chunk);
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { status: 400, detail: 'The body is no JSON' };
  }
}
