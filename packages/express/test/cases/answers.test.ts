import { describe, expect, test } from '@jest/globals';
import { ERROR_CATALOGUE, type ErrorCode, spillwayError } from '@spillway/core';
import { manualClock } from '@spillway/testing';
import { problemDetails } from '../../src/index.js';
import { EXPRESS, until } from '../support/app.js';
import { site } from './support/site.js';

const down = () => Promise.reject(new Error('down'));

/** A route that asks a dependency whose breaker opens at the first failure. */
async function guarded(express: (typeof EXPRESS)[number][1], openFor: number) {
  const clock = manualClock();
  const breaker = { consecutive: 1, openFor, maxOpenFor: openFor, jitter: 0, probes: 1 } as const;
  let work: () => Promise<unknown> = down;
  const shop = await site(
    express,
    (app) => {
      app.get('/', (req, res, next) => {
        req.spillway
          .dependency('quotes')
          .call(() => work())
          .then((body) => res.send(body), next);
      });
    },
    { dependencies: { quotes: { retry: false, breaker } } },
    { clock, random: () => 0 },
  );
  const mend = () => {
    work = async () => 'fine';
  };
  return { shop, clock, mend };
}

describe('the answers of an application', () => {
  test('C-056 say in whole seconds when to come back', async () => {
    for (const [, express] of EXPRESS) {
      for (const [openFor, after, seconds] of [
        [900, 0, '1'],
        [1900, 0, '2'],
        [10_000, 2800, '8'],
      ] as const) {
        const { shop, clock, mend } = await guarded(express, openFor);
        expect((await shop.ask('/')).status).toBe(502);
        await clock.advance(after);
        const refused = await shop.ask('/');
        expect([refused.status, refused.headers['retry-after']]).toEqual([503, seconds]);
        mend();
        await clock.advance(openFor - after);
        const fine = await shop.ask('/');
        expect([fine.status, fine.headers['retry-after']]).toEqual([200, undefined]);
      }

      const full = await site(express, (app) => app.get('/', () => undefined), {
        inbound: { concurrency: 1 },
      });
      full.open('/');
      expect(await until(() => full.inbound().inFlight === 1)).toBe(true);
      const shed = await full.ask('/');
      expect(shed.status).toBe(503);
      expect(shed.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
  }, 30_000);

  test('C-070 of an overloaded server are 503 for any URL and method', async () => {
    for (const [, express] of EXPRESS) {
      const shop = await site(
        express,
        (app) => {
          app.get('/slow', () => undefined);
          app.get('/bare', (_req, res) => void res.send('fine'));
        },
        { inbound: { concurrency: 1 } },
      );
      shop.open('/slow');
      expect(await until(() => shop.inbound().inFlight === 1)).toBe(true);
      for (const [method, path] of [
        ['GET', '/nowhere'],
        ['GET', '/bare'],
        ['OPTIONS', '/bare'],
      ] as const) {
        const answer = await shop.ask(path, { method });
        expect([method, path, answer.status]).toEqual([method, path, 503]);
        expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      }
    }
  }, 30_000);

  test('F-19 tell when an open breaker may let requests pass again', async () => {
    for (const [, express] of EXPRESS) {
      const { shop } = await guarded(express, 5000);
      await shop.ask('/');
      const answer = await shop.ask('/');
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    }
  }, 30_000);

  test('F-29 to every error of ours have the status of the table, with and without our handler', async () => {
    const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
    expect(codes).toHaveLength(17);
    for (const [, express] of EXPRESS) {
      for (const handlers of [[], [problemDetails()]]) {
        const shop = await site(express, (app) => {
          app.get('/:code', ({ params }, _res, next) =>
            next(spillwayError(params.code as ErrorCode, 'What happened', { retryAfterMs: 1500 })),
          );
          for (const handler of handlers) app.use(handler);
        });
        for (const code of codes) {
          const { status } = await shop.ask(`/${code}`);
          expect([code, status]).toEqual([code, ERROR_CATALOGUE[code].status]);
        }
      }
    }
    const internal = codes.filter((code) => ERROR_CATALOGUE[code].status === 500);
    expect(internal).toEqual(['ERR_FALLBACK_LOOP', 'ERR_CLOSED', 'ERR_CONFIG', 'ERR_UNKNOWN_DEPENDENCY']);
    expect(ERROR_CATALOGUE.ERR_DEADLINE_EXCEEDED.status).toBe(504);
  }, 30_000);
});
