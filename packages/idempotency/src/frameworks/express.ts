import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { IdempotencyStore } from '../engine/store.js';
import { type ExpressLikeMiddleware, idempotent as onAnyRequest } from '../http/express.js';
import type { IdempotentOptions } from '../http/options.js';

/**
 * `idempotent` of the package, whose `scope` is given Express's own `Request`. Handlers find `req.idempotency`.
 * @throws ERR_CONFIG naming the option that is wrong
 */
export const idempotent: <
  Req extends IncomingMessage = Request,
  S extends IdempotencyStore = IdempotencyStore,
>(
  options: IdempotentOptions<Req, S>,
) => ExpressLikeMiddleware = onAnyRequest;
