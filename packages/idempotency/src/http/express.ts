import type { IncomingMessage, ServerResponse } from 'node:http';
import { spillwayError } from '@spillway/core';
import type { IdempotencyStore } from '../engine/store.js';
import './augment-express.js';
import { tapBodies } from './body-tap.js';
import { Exchange, type RequestIdempotency } from './exchange.js';
import { decide, type Presented, type Verdict } from './gate.js';
import { type IdempotentOptions, type ResolvedHttp, resolveHttp } from './options.js';

/** What Express adds to node's request, as far as it is read here. */
export interface ExpressLikeRequest extends IncomingMessage {
  readonly originalUrl?: string;
  readonly ip?: string | undefined;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  idempotency?: RequestIdempotency;
}

/** Express 4 and 5, Connect, or anything else that calls `(req, res, next)`. */
export type ExpressLikeMiddleware = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Idempotency-Key for Express and Connect. Mount it on the routes it is for, after authentication; before or after
 * the body parser.
 *
 *     app.post('/payments', idempotent({ store, required: true, scope: (req) => req.user.id }), handler)
 *
 * `scope` is given what the application says of `Express.Request`; the whole of Express's own type comes with
 * `@spillway/idempotency/express`.
 * @throws ERR_CONFIG naming the option that is wrong
 */
export function idempotent<
  Req extends IncomingMessage = IncomingMessage & Express.Request,
  S extends IdempotencyStore = IdempotencyStore,
>(options: IdempotentOptions<Req, S>): ExpressLikeMiddleware {
  const http = resolveHttp(options);
  tapBodies(http.fingerprintLimit);
  return (req, res, next) => {
    // Another of these stands above: one run has its key once.
    if ((req as ExpressLikeRequest).idempotency !== undefined) {
      next();
      return;
    }
    decide(http, present<Req>(req, res)).then((verdict) => act(http, req, res, next, verdict), next);
  };
}

function present<Req extends IncomingMessage>(req: ExpressLikeRequest, res: ServerResponse): Presented<Req> {
  return {
    req,
    res,
    subject: req as unknown as Req,
    url: req.originalUrl ?? req.url ?? '',
    address: req.ip,
    hints: { rawBody: req.rawBody, parsed: req.body },
  };
}

function act<Req>(
  http: ResolvedHttp<Req>,
  req: ExpressLikeRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
  verdict: Verdict,
): void {
  switch (verdict.kind) {
    case 'pass':
      next();
      break;
    case 'answered':
      break;
    case 'gone':
      next(spillwayError('ERR_CANCELLED', 'The client went away before its request was complete.'));
      break;
    case 'answer':
      answer(res, verdict);
      break;
    case 'run': {
      const before = Object.entries(res.getHeaders());
      req.idempotency = new Exchange(http, req, res, verdict.claim, verdict.key, before).handle;
      next();
    }
  }
}

/** Sends an answer of ours, or a stored one, on node's response. */
function answer(res: ServerResponse, verdict: Extract<Verdict, { kind: 'answer' }>): void {
  if (res.headersSent) return;
  const { status, headers, body } = verdict.answer;
  res.statusCode = status;
  if (verdict.message !== undefined) res.statusMessage = verdict.message;
  for (const [name, value] of headers) res.setHeader(name, typeof value === 'string' ? value : [...value]);
  res.end(body);
}
