import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { expressSpillway } from '@spillway/express';
import express, { type Request, type RequestHandler, type Response } from 'express';
import express4 from 'express4';
import request from 'supertest';

const spillway = createSpillway({ service: 'shop', dependencies: {} });
const guard = expressSpillway(spillway);

const V8 = Number.parseInt(process.versions.v8, 10);

/** Tells whether its requests and responses have hidden classes of their own: a function of V8's, not of the language. */
const PROGRAM = `
  const isFast = new Function('object', 'return %HasFastProperties(object)');
  const [{ default: express }, { createSpillway }, { expressSpillway }] = await Promise.all(
    ['express', '@spillway/core', '@spillway/express'].map((name) => import(name)),
  );
  const app = express();
  app.use(expressSpillway(createSpillway({ service: 'shop', dependencies: {} })));
  app.get('/', (req, res) => res.json([isFast(req), isFast(res)]));
  const server = app.listen(0, '127.0.0.1', async () => {
    const answer = await fetch('http://127.0.0.1:' + server.address().port);
    process.stdout.write(await answer.text());
    server.close();
    server.closeAllConnections();
  });
`;

describe('the hidden class of a request and its response', () => {
  it('is shared with all others, where V8 would give them one each', () => {
    const args = ['--allow-natives-syntax', '--input-type=module', '--eval', PROGRAM];
    const seen = JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname }).toString());
    expect(seen).toEqual(V8 <= 12 ? [false, false] : [true, true]);
  });

  it.each([
    ['Express 5', express],
    ['Express 4', express4 as unknown as typeof express],
  ])('changes nothing that an application of %s sees', async (_name, framework) => {
    const app = framework();
    const same: boolean[] = [];
    const watched: RequestHandler = (req, res, next) => {
      const { params } = req;
      const { locals } = res;
      guard(req, res, () => {
        same.push(req.params === params, res.locals === locals);
        next();
      });
    };
    app.use((_req, res, next) => {
      res.locals['user'] = 'ann';
      next();
    });
    app.use('/:shop', watched);
    app.get('/:shop/:item', (req: Request, res: Response) => {
      res.json({ params: req.params, user: res.locals['user'], keys: Object.keys(req).sort() });
    });
    const answer = (await request(app).get('/a/b')).body;
    expect(answer).toMatchObject({ params: { shop: 'a', item: 'b' }, user: 'ann' });
    expect(answer.keys).toEqual(expect.arrayContaining(['params', 'spillway']));
    expect(same).toEqual([true, true]);
  });

  it.each<[string, PropertyDescriptor]>([
    ['has a getter', { get: () => ({ c: 'd' }), set: () => undefined, configurable: true, enumerable: true }],
    ['has one that throws', { get: () => fail(), configurable: true, enumerable: true }],
    ['cannot be written', { value: { c: 'd' }, writable: false, configurable: true, enumerable: true }],
    ['cannot be taken off', { value: { c: 'd' }, writable: true, configurable: false, enumerable: true }],
    ['is hidden', { value: { c: 'd' }, writable: true, configurable: true, enumerable: false }],
  ])('leaves a property alone that %s', async (_name, given) => {
    const app = express();
    const after: (PropertyDescriptor | undefined)[] = [];
    app.use((req, res, next) => {
      Object.defineProperty(res, 'locals', given);
      guard(req, res, () => {
        after.push(Object.getOwnPropertyDescriptor(res, 'locals'));
        next();
      });
    });
    await request(app).get('/');
    const whole = 'value' in given ? given : { set: undefined, ...given };
    expect(after).toEqual([whole]);
  });
});

function fail(): never {
  throw new Error('nobody asks');
}
