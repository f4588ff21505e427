import { once } from 'node:events';
import { ServerResponse } from 'node:http';

/**
 * Answers 504 in a handler's place, as a spillway's deadline does: on node's own methods, leaving the response deaf,
 * and, once the answer has left, as if none had been sent.
 */
export async function answerFor(res: ServerResponse): Promise<void> {
  const { writeHead, end } = ServerResponse.prototype;
  const finished = once(res, 'finish');
  Reflect.apply(writeHead, res, [504]);
  Reflect.apply(end, res, []);
  const deaf = () => res;
  Object.assign(res, { setHeader: deaf, removeHeader: deaf, writeHead: deaf, write: () => true, end: deaf });
  await finished;
  Object.defineProperty(res, 'headersSent', { configurable: true, value: false });
}
