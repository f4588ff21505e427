import type { ServerResponse } from 'node:http';
import type { ProblemAnswer } from './problem.js';

/** Headers that speak of a body which is not sent after all. */
const OF_ANOTHER_BODY = [
  'Content-Encoding',
  'Content-Language',
  'Content-Range',
  'Content-Disposition',
  'Transfer-Encoding',
  'Trailer',
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
  'Location',
  'Expires',
] as const;

/** Forgets what a handler has said about a body of its own. CORS, cookies and the like stay. */
export function dropBodyHeaders(res: ServerResponse): void {
  for (const name of OF_ANOTHER_BODY) res.removeHeader(name);
}

/**
 * Writes a whole answer past everything that wraps this response: compression, sessions and caches have no part in
 * an answer that their handler did not give.
 */
export function answerProblem(res: ServerResponse, { status, headers, body }: ProblemAnswer): void {
  const { writeHead, end } = Object.getPrototypeOf(res) as ServerResponse;
  Reflect.apply(writeHead, res, [status, headers]);
  Reflect.apply(end, res, [body]);
}
