import { createSpillway } from '@spillway/core';
import {
  createIdempotency,
  fastifyIdempotent as fastifyOfRoot,
  idempotent as idempotentOfRoot,
  koaIdempotent as koaOfRoot,
  type RequestIdempotency,
} from '@spillway/idempotency';
import { idempotent } from '@spillway/idempotency/express';
import {
  type FastifyIdempotentOptions,
  type FastifyRouteIdempotent,
  fastifyIdempotent,
} from '@spillway/idempotency/fastify';
import { koaIdempotent } from '@spillway/idempotency/koa';
import { accepted, createOutbox, isDeferred, sqliteOutbox } from '@spillway/idempotency/outbox';
import { type SqliteDatabase, sqliteStore } from '@spillway/idempotency/sqlite';
import express, { type Request } from 'express';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import Koa from 'koa';
import Database from 'libsql';

// as authentication and body parsers type what they bring
interface Account {
  readonly id: string;
}
declare global {
  namespace Express {
    interface Request {
      user?: Account;
    }
  }
}
declare module 'koa' {
  interface Request {
    body?: unknown;
  }
}
declare module 'fastify' {
  interface FastifyRequest {
    user?: Account;
  }
}

/** True when A and B are the same type. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles for `true` alone. */
declare function holds<T extends true>(): T;

interface Payment {
  readonly id: string;
  readonly amount: number;
}

const store = sqliteStore(new Database('keys.db'));
const pay = (db: SqliteDatabase, { id, amount }: Payment) => {
  db.prepare('INSERT INTO payments VALUES (?, ?)').run(id, amount);
  return { status: 201, body: { id } };
};

// Of what follows nothing is called: compiling is the test. The first of each framework is the README's.
export function expressApplication(): express.Express {
  const app = express();
  app.use(express.json());
  app.post(
    '/payments',
    idempotent({ store, required: true, scope: (req) => req.user?.id }),
    async (req, res) => {
      if (!(req.body?.amount > 0)) return void res.status(400).json({ error: 'amount: above 0' });
      await req.idempotency?.transaction((db: SqliteDatabase) => pay(db, req.body));
    },
  );
  return app;
}

export async function koaApplication(): Promise<Koa> {
  const app = new Koa();
  // this repository alone asks for index access
  app.use(koaIdempotent({ store, required: true, scope: (ctx) => ctx.state['user'].id }));
  app.use(async (ctx) => {
    await ctx.idempotency?.transaction((db: SqliteDatabase) => pay(db, ctx.request.body as Payment));
  });
  return app;
}

export async function fastifyApplication(): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(fastifyIdempotent, { store, scope: (request) => request.user?.id });
  app.post<{ Body: Payment }>(
    '/payments',
    { config: { idempotent: { required: true } } },
    async (request, reply) => {
      await request.idempotency?.transaction((db: SqliteDatabase) => pay(db, request.body));
      return reply;
    },
  );
  return app;
}

export function expressIsTyped(app: express.Express): void {
  const scope = (req: Request) => req.get('x-merchant');
  app.use(idempotent({ store }), idempotent({ store, scope }), idempotentOfRoot({ store, scope }));
  app.use(idempotentOfRoot({ store, scope: (req) => req.user?.id ?? req.socket.remoteAddress }));
  // the path's parameters stay known to the handler behind it
  app.post('/payments/:id', idempotent({ store, scope: (req) => req.get('x-merchant') }), (req) => {
    holds<Equal<typeof req.params, { id: string }>>();
    holds<Equal<typeof req.idempotency, RequestIdempotency | undefined>>();
    // @ts-expect-error there is none without a key
    req.idempotency.saved('charge');
  });
  idempotent({
    store,
    scope: (req) => {
      holds<Equal<typeof req, Request>>();
      return undefined;
    },
  });
  // @ts-expect-error no option of that name
  idempotent({ store, requird: true });
  // @ts-expect-error a scope is text
  idempotent({ store, scope: (req) => ({ account: req.user }) });
  // @ts-expect-error nothing of that name on a request
  idempotent({ store, scope: (req) => req.usr });
  // @ts-expect-error nothing of that name on a request
  idempotentOfRoot({ store, scope: (req) => req.usr });
  // @ts-expect-error keys are kept somewhere
  idempotent({ required: true });
}

interface Session {
  readonly user: Account;
}

export function koaIsTyped(app: Koa): void {
  app.use(koaOfRoot({ store }));
  app.use(koaIdempotent({ store, scope: (ctx: Koa.Context) => ctx.get('x-merchant') }));
  new Koa<Session>().use(
    koaIdempotent({ store, scope: (ctx: Koa.ParameterizedContext<Session>) => ctx.state.user.id }),
  );
  koaIdempotent({
    store,
    scope: (ctx) => {
      holds<Equal<typeof ctx, Koa.Context>>();
      return undefined;
    },
  });
  app.use((ctx) => {
    holds<Equal<typeof ctx.idempotency, RequestIdempotency | undefined>>();
    // @ts-expect-error there is none without a key
    ctx.idempotency.saved('charge');
  });
  // @ts-expect-error no option of that name
  koaIdempotent({ store, requird: true });
  // @ts-expect-error a scope is text
  koaIdempotent({ store, scope: (ctx) => ctx.request });
}

export async function fastifyIsTyped(app: FastifyInstance): Promise<void> {
  await app.register(fastifyOfRoot, { store, all: true, scope: (request) => request.ip });
  await fastify({ http2: true }).register(fastifyIdempotent, { store, all: true });
  await fastify({ http2: true }).register(fastifyOfRoot, { store });
  // @ts-expect-error keys are kept somewhere
  await app.register(fastifyIdempotent, { required: true });
  // @ts-expect-error no option of that name
  await app.register(fastifyIdempotent, { store, requird: true });
  const scope: FastifyIdempotentOptions['scope'] = (request) => {
    holds<Equal<typeof request, FastifyRequest>>();
    return request.user?.id;
  };
  app.post('/a', { config: { idempotent: { scope, lease: '10s' } } }, async (request) => {
    holds<Equal<typeof request.idempotency, RequestIdempotency | null>>();
    // @ts-expect-error there is none without a key
    return request.idempotency.key;
  });
  app.post('/b', { config: { idempotent: true } }, async () => 'b');
  // @ts-expect-error a duration is a string with a unit, or a number of ms
  app.post('/wrong', { config: { idempotent: { lease: true } } }, async () => 'no');
  // Fastify takes more in a route's config than it knows: our own type is the one that finds a misspelt option
  // @ts-expect-error no option of that name
  const misspelt: FastifyRouteIdempotent = { requird: true };
  app.post('/typed', { config: { idempotent: misspelt } }, async () => 'typed');
}

export async function handlesAreTyped(app: express.Express): Promise<void> {
  const keys = createIdempotency({ store });
  const paid = await keys.run('key', { id: 'p' }, (run) =>
    run.transaction((tx) => {
      holds<Equal<typeof tx, SqliteDatabase>>();
      return pay(tx, { id: 'p', amount: 1 }).status;
    }),
  );
  holds<Equal<typeof paid.value, number | undefined>>();
  const spillway = createSpillway({ dependencies: { bank: { baseUrl: 'http://bank' } } });
  const outbox = createOutbox({ store: sqliteOutbox(new Database('outbox.db')), spillway });
  app.post('/charges', idempotent({ store, required: true }), async (req, res) => {
    const key = req.idempotency?.key ?? '';
    const answer = await spillway.dependency('bank').call(async () => ({ charged: true }), {
      idempotencyKey: key,
      fallback: outbox.defer('bank', { path: 'v1/charges', json: req.body, key }),
    });
    if (isDeferred(answer)) return accepted(res, answer);
    res.json({ charged: answer.charged });
  });
}
