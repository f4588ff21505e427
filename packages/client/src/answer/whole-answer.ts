import { HTTPError, isResponseOk, parseBody, type Request, RequestError, type Response } from 'got';
import { unparsable } from './body-forms.js';

const ENCODED: ReadonlySet<unknown> = new Set(['br', 'deflate', 'gzip', 'zstd']);

/**
 * got's answer with its whole body, as got's own promise gives it: read off a stream that got has just made, and that
 * is told to read bodies whole as those under its promises do. The promise itself makes accessors for every request, and
 * V8 hidden classes for these, which outlive the request until the next full collection (`bench/outgoing.mjs`).
 */
export function wholeAnswer(source: Request): Promise<Response> {
  source.options.isStream = false;
  source._noPipe = true;
  return new Promise((resolve, reject) => {
    source.on('error', (error: Error) => {
      source.destroy();
      // Node's own, of the stream that got's request is
      reject(error instanceof RequestError ? error : new RequestError(error.message, error, source));
    });
    source.once('response', (response: Response) => {
      source.destroy();
      try {
        resolve(judged(withBody(response)));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** @throws ParseError for one that is no failure */
function withBody(response: Response): Response {
  const { rawBody } = response;
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
  if (isResponseOk(response) || !response.request.options.throwHttpErrors) return response;
  throw new HTTPError(response);
}
