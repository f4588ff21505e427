import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { isThenable } from '@spillway/core';
import type { IdempotencyStore } from '../engine/store.js';
import { namesType } from './answer.js';
import { DigestingStream } from './body-digest.js';
import { Exchange, type RequestIdempotency } from './exchange.js';
import { decide, type Presented, type Verdict } from './gate.js';
import { type IdempotentOptions, type ResolvedHttp, resolveHttp } from './options.js';
import { readAhead, unread } from './read-ahead.js';
import { isStream } from './stream-body.js';

/** What is used of a Fastify request. */
export interface FastifyLikeRequest {
  readonly raw: IncomingMessage;
  readonly originalUrl: string;
  readonly ip: string;
  readonly body: unknown;
}

/** What is used of a Fastify reply. */
export interface FastifyLikeReply {
  readonly raw: ServerResponse;
  readonly statusCode: number;
  code(status: number): unknown;
  header(name: string, value: unknown): unknown;
  getHeaders(): Record<string, unknown>;
  hijack(): unknown;
  send(payload?: unknown): unknown;
}

type Handler = (this: unknown, request: FastifyLikeRequest, reply: FastifyLikeReply) => unknown;

/** What is used of a route's options. Its functions have types of the application's own Fastify. */
interface RouteLike {
  readonly method: string | string[];
  readonly config?: unknown;
  preParsing?: unknown;
  preHandler?: unknown;
  onSend?: unknown;
  handler: unknown;
}

/** What is used of a Fastify instance. */
export interface FastifyLikeInstance {
  decorateRequest(name: string, value: null): unknown;
  addHook(name: 'onRoute', hook: (route: RouteLike) => void): unknown;
}

/** On a route's `config.idempotent`: what is different there, or just `true`. */
export type FastifyRouteIdempotent<
  S extends IdempotencyStore = IdempotencyStore,
  Req extends FastifyLikeRequest = FastifyLikeRequest,
> = boolean | Partial<IdempotentOptions<Req, S>>;

export interface FastifyIdempotentOptions<
  S extends IdempotencyStore = IdempotencyStore,
  Req extends FastifyLikeRequest = FastifyLikeRequest,
> extends IdempotentOptions<Req, S> {
  /** Every route, unless its config says `idempotent: false`. Default: those that say `idempotent: true`. */
  readonly all?: boolean;
}

/** What is known of a request between its hooks. */
const bodies = new WeakMap<FastifyLikeRequest, DigestingStream>();
/**
 * On a request: hears that its handler has settled. Whoever answers in the handler's place, and keeps its late result
 * and error to itself, calls it with whether the handler failed.
 */
const HANDLED = Symbol.for('spillway.handled');

const exchanges = new WeakMap<FastifyLikeRequest, Exchange<FastifyLikeRequest>>();

/**
 * Idempotency-Key for Fastify 5. Register it before the routes; a route asks for it in its config:
 *
 *     await app.register(fastifyIdempotent, { store })
 *     app.post('/payments', { config: { idempotent: { required: true } } }, handler)
 *
 * It runs after every other preHandler, so after authentication and validation. The handler finds
 * `request.idempotency`. TypeScript gets Fastify's own types of it from `@spillway/idempotency/fastify`.
 * @throws ERR_CONFIG naming the option that is wrong
 */
export async function fastifyIdempotent(
  fastify: FastifyLikeInstance,
  options: FastifyIdempotentOptions,
): Promise<void> {
  // Wrong options are told at registration, not when the first route comes.
  const defaults = resolveHttp(options);
  fastify.decorateRequest('idempotency', null);
  fastify.addHook('onRoute', (route) => {
    const asked = (route.config as { idempotent?: FastifyRouteIdempotent } | undefined)?.idempotent;
    if (asked === false || (asked === undefined && options.all !== true)) return;
    const http = typeof asked === 'object' ? resolveHttp({ ...options, ...asked }) : defaults;
    const methods = Array.isArray(route.method) ? route.method : [route.method];
    if (!methods.some((method) => http.methods.has(method.toUpperCase()))) return;
    route.preParsing = [...listOf(route.preParsing), preParsing(http)];
    route.preHandler = [...listOf(route.preHandler), preHandler(http)];
    route.onSend = [...listOf(route.onSend), onSend];
    route.handler = heard(route.handler as Handler);
  });
}

// What fastify-plugin does: the hooks reach the routes beside the plugin, not only those inside it.
Object.assign(fastifyIdempotent, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@spillway/idempotency',
});

function listOf(hooks: unknown): unknown[] {
  if (hooks === undefined || hooks === null) return [];
  return Array.isArray(hooks) ? hooks : [hooks];
}

function preParsing(http: ResolvedHttp<FastifyLikeRequest>) {
  return async (request: FastifyLikeRequest, _reply: unknown, payload: NodeJS.ReadableStream) => {
    if (request.raw.headers['idempotency-key'] === undefined) return payload;
    const stream = new DigestingStream(http.fingerprintLimit);
    payload.on('error', (error) => stream.destroy(error));
    bodies.set(request, stream);
    return payload.pipe(stream);
  };
}

function preHandler(http: ResolvedHttp<FastifyLikeRequest>) {
  return async (request: FastifyLikeRequest, reply: FastifyLikeReply) => {
    const body = bodies.get(request);
    // A parser that hands the stream on has read nothing of it.
    if (body !== undefined && !body.complete && unread(body))
      await readAhead(body, http.fingerprintLimit, () => {});
    const verdict = await decide(http, present(request, reply));
    if (verdict.kind === 'answered') return reply.hijack();
    if (verdict.kind === 'answer') return answer(reply, verdict);
    if (verdict.kind === 'run') {
      const before = Object.entries(reply.getHeaders());
      const exchange = new Exchange(http, request.raw, reply.raw, verdict.claim, verdict.key, before);
      exchanges.set(request, exchange);
      Object.assign(request, { [HANDLED]: (failed: boolean) => exchange.handled(failed) });
      (request as { idempotency?: RequestIdempotency }).idempotency = exchange.handle;
    }
    return undefined;
  };
}

/** A handler whose end is told to the exchange: after a deadline's answer nothing else says what became of it. */
function heard(handler: Handler): Handler {
  return function idempotentHandler(request, reply) {
    const result = handler.call(this, request, reply);
    const exchange = exchanges.get(request);
    if (exchange === undefined || result === reply || !isThenable(result)) return result;
    return result.then(
      (payload) => {
        // Of a handler whose late end is kept from here, `undefined` may be either.
        if (payload !== undefined) exchange.handled(false);
        return payload;
      },
      (error: unknown) => {
        exchange.handled(true);
        throw error;
      },
    );
  };
}

async function onSend(request: FastifyLikeRequest, reply: FastifyLikeReply, payload: unknown) {
  if (isStream(payload)) exchanges.get(request)?.streams(reply.statusCode);
  return payload;
}

function present(request: FastifyLikeRequest, reply: FastifyLikeReply): Presented<FastifyLikeRequest> {
  return {
    req: request.raw,
    res: reply.raw,
    subject: request,
    url: request.originalUrl,
    address: request.ip,
    hints: { digest: bodies.get(request)?.digest, parsed: request.body },
  };
}

function answer(reply: FastifyLikeReply, verdict: Extract<Verdict, { kind: 'answer' }>): unknown {
  const { status, headers, body } = verdict.answer;
  reply.code(status);
  if (verdict.message !== undefined) reply.raw.statusMessage = verdict.message;
  for (const [name, value] of headers) reply.header(name, value);
  if (body.byteLength === 0) return reply.send();
  if (namesType(headers)) return reply.send(Buffer.from(body));
  // The stored answer named no type. Fastify gives one to everything but a stream.
  reply.header('Content-Length', body.byteLength);
  return reply.send(Readable.from([Buffer.from(body)]));
}
