import { AsyncLocalStorage } from 'node:async_hooks';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { Call, ContextCarrier } from '@spillway/core';
import { asyncLocal } from '@spillway/core/async-local';
import { clsHooked } from '@spillway/core/cls-hooked';
import { flakyServer } from '@spillway/testing';
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import { EXPRESS } from '../support/app.js';
import { cleanUp, site } from './support/site.js';

/** What the application has of cls-hooked: the part that a carrier uses, as cls-hooked itself behaves. */
function namespace() {
  const storage = new AsyncLocalStorage<Map<string, unknown>>();
  return {
    get active() {
      return storage.getStore();
    },
    get: (key: string) => storage.getStore()?.get(key),
    set: <T>(key: string, value: T): T => {
      storage.getStore()?.set(key, value);
      return value;
    },
    runAndReturn: <T>(work: () => T): T => storage.run(new Map(storage.getStore()), work),
  };
}

const CARRIERS: readonly (readonly [name: string, make: () => ContextCarrier])[] = [
  ['AsyncLocalStorage', asyncLocal],
  ['cls-hooked', () => clsHooked(namespace())],
];

/** Splits a multipart body by hand, and goes on from the request's own events, as parsers do. */
const multipart: RequestHandler = (req, _res, next) => {
  const boundary = /boundary=(.+)$/.exec(req.headers['content-type'] ?? '')?.[1] ?? '';
  let text = '';
  req.on('data', (chunk) => {
    text += chunk;
  });
  req.on('end', () => {
    const parts = text.split(`--${boundary}`).slice(1, -1);
    const fields = parts.map((part) => /name="(\w+)".*?\r\n\r\n(.*)\r\n$/s.exec(part)?.slice(1, 3));
    req.body = Object.fromEntries(fields as [string, string][]);
    next();
  });
};

function form(id: string): { headers: Record<string, string>; body: string } {
  const part = (name: string, extra: string, value: string) =>
    `--XX\r\nContent-Disposition: form-data; name="${name}"${extra}\r\n\r\n${value}\r\n`;
  const body = `${part('field', '', id)}${part('file', '; filename="a.txt"', `file of ${id}`)}--XX--\r\n`;
  return { headers: { 'content-type': 'multipart/form-data; boundary=XX' }, body };
}

describe('the context of a request', () => {
  test('C-072 survives the parser of its body', async () => {
    const json = { 'content-type': 'application/json' };
    const long = JSON.stringify({ text: 'x'.repeat(2_000_000) });
    const gzip = { ...json, 'content-encoding': 'gzip' };
    const bodies = [
      ['{}', json, 200],
      [long, json, 200],
      [gzipSync(long), gzip, 200],
      ['{"broken', json, 400],
    ] as const;
    for (const [, express] of EXPRESS) {
      for (const [, make] of CARRIERS) {
        const context = make();
        const tell = (req: Request, res: Response) => {
          const isOwn = context.current() === req.spillway.call;
          res.json([
            req.headers['x-id'],
            isOwn,
            req.spillway.deadline.ms,
            Number.isFinite(context.current()?.workUntil),
          ]);
        };
        const onError: ErrorRequestHandler = (error, req, res, _next) => tell(req, res.status(error.status));
        const shop = await site(
          express,
          (app) => {
            app.use(express.json({ limit: '5mb' }));
            app.post('/', tell);
            app.use(onError);
          },
          {},
          { context },
        );
        let id = 0;
        for (const [body, headers, status] of bodies) {
          id++;
          const own = { ...headers, 'x-id': String(id), 'x-request-budget-ms': '7000' };
          const answer = await shop.ask('/', { method: 'POST', headers: own, body });
          expect([answer.status, JSON.parse(answer.body)]).toEqual([status, [String(id), true, 7000, true]]);
        }
      }
    }
  }, 30_000);

  test('C-073 is found on the request where a parser loses the ambient one', async () => {
    const quotes = await flakyServer(200);
    cleanUp(() => quotes.close());
    for (const [, express] of EXPRESS) {
      for (const [, make] of CARRIERS) {
        const calls = new Map<Call, string>();
        const context = make();
        const remember = (req: Request, _res: Response, next: NextFunction) => {
          calls.set(req.spillway.call, req.headers['x-id'] as string);
          next();
        };
        const shop = await site(
          express,
          (app) => {
            app.post('/', remember, multipart, (req, res, next) => {
              const own = calls.get(req.spillway.call);
              req.spillway
                .client('quotes')
                .get(`for/${own}`)
                .then(() => res.json({ own, body: req.body }), next);
            });
          },
          { dependencies: { quotes: { baseUrl: quotes.url, attempt: { timeout: '30s' }, deadline: '30s' } } },
          { context },
        );
        const first = quotes.hits.length;
        const ids = Array.from({ length: 20 }, (_, i) => `request-${i}`);
        const answers = await Promise.all(
          ids.map((id, i) => {
            const { headers, body } = form(id);
            const budget = String(10_000 + i * 500);
            const own = { ...headers, 'x-id': id, 'x-request-budget-ms': budget };
            return shop.ask('/', { method: 'POST', headers: own, body });
          }),
        );
        expect(answers.map(({ body }) => JSON.parse(body))).toEqual(
          ids.map((id) => ({ own: id, body: { field: id, file: `file of ${id}` } })),
        );
        const budgets = new Map(
          quotes.hits.slice(first).map(({ path, headers }) => [path, Number(headers['x-request-budget-ms'])]),
        );
        for (const [i, id] of ids.entries()) {
          const left = budgets.get(`/for/${id}`);
          expect(left).toBeLessThanOrEqual(10_000 + i * 500);
          expect(left).toBeGreaterThan(5000 + i * 500);
        }
      }
    }
  }, 30_000);
});
