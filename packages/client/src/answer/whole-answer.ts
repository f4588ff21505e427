import { HTTPError, isResponseOk, parseBody, type Request, type Response } from 'got';
import { unparsable } from './body-forms.js';

const ENCODED: ReadonlySet<unknown> = new Set(['br', 'deflate', 'gzip', 'zstd']);

/**
 * got's answer with its whole body, as got's own promise gives it. That one makes accessors for every request, which
 * outlive it and keep all of it in memory until the next full collection: half as much processor time again.
 */
export function wholeAnswer(source: Request): Promise<Response> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let answer: Response | undefined;
    source.on('error', reject);
    source.once('response', (response: Response) => {
      answer = response;
    });
    source.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
    source.once('end', () => {
      source.destroy();
      try {
        resolve(judged(withBody(answer as Response, joined(chunks))));
      } catch (error) {
        reject(error);
      }
    });
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/** @throws ParseError for one that is no failure */
function withBody(response: Response, rawBody: Buffer): Response {
  response.rawBody = rawBody;
  const { responseType, parseJson, encoding, decompress } = response.request.options;
  if (!decompress && ENCODED.has(response.headers['content-encoding']?.toLowerCase())) {
    response.body = rawBody;
    return response;
  }
  try {
    response.body = parseBody(response, responseType, parseJson, encoding);
  } catch (error) {
    response.body = rawBody.toString();
    if (isResponseOk(response)) throw responseType === 'json' ? unparsable(error, response) : error;
  }
  return response;
}

/** @throws HTTPError */
function judged(response: Response): Response {
  if (isResponseOk(response)) return response;
  throw new HTTPError(response);
}
