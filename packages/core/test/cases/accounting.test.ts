import { describe, expect, test } from '@jest/globals';
import { timeWindow } from '../../src/algorithms/windows.js';
import type { BreakerConfig, Operation } from '../../src/index.js';
import { GOOD, isSpillwayError, judge, seededRandom } from '../../src/index.js';
import { bad, codesOf, good, guarded, repeat, single } from './support/single.js';

const answers = (status: number) => async () => new Response(null, { status });

/** An operation of a transport. */
function operation(origin: string, path: string, ok = true): Operation<string> {
  return {
    operation: 'GET',
    method: 'GET',
    origin,
    path,
    idempotent: true,
    keyed: false,
    work: () => 'fine',
    judge: () => (ok ? GOOD : judge('server-error')),
    options: {},
  };
}

function scoped(scope: BreakerConfig['scope'] & {}) {
  const breaker = { scope, consecutive: 1, openFor: '1h', maxOpenFor: '1h', jitter: 0 } as const;
  return single({ retry: false, bulkhead: false, breaker }, seededRandom(1), false);
}

describe('the account of a dependency', () => {
  test('C-017 is kept right by a window of one single slice', () => {
    const window = timeWindow(1000, 1);
    for (const at of [0, 1000, 2000, 10_000]) {
      window.record(at, true, false, 1);
      expect(window.tally(at)).toMatchObject({ calls: 1, failures: 1 });
    }
  }, 30_000);

  test('C-018 takes a 404 for an answer, and gives a fallback only what failed', async () => {
    const causes: unknown[] = [];
    const fallback = (failure: Error) => {
      causes.push(failure.cause);
      return {};
    };
    const { dep, breaker, of } = single({ retry: false, fallback });
    const missing = await dep.call(answers(404), { idempotent: true });
    expect((missing as Response).status).toBe(404);
    expect(breaker()).toMatchObject({ calls: 1, failures: 0 });
    expect([causes, of('fallback.used')]).toEqual([[], []]);

    await expect(dep.call(answers(503), { idempotent: true })).resolves.toEqual({});
    expect(causes).toEqual([expect.objectContaining({ status: 503 })]);

    const broken = new Error('no cache');
    const failing = single({ retry: false, fallback: () => Promise.reject(broken) });
    const outcome = await failing.dep.settle(answers(503), { idempotent: true });
    expect(outcome.error).toBe(broken);
    expect(broken.cause).toMatchObject({ code: 'ERR_UPSTREAM', status: 503, cause: { status: 503 } });
  }, 30_000);

  test('C-019 counts attempts, so five failures on the wire are five', async () => {
    const { clock, dep } = guarded(
      { consecutive: 5, failureRate: false, openFor: '10s' },
      { retry: { attempts: 3, backoff: { base: 0 }, budget: false } },
    );
    let calls = 0;
    const always500 = async () => {
      calls++;
      return new Response(null, { status: 500 });
    };
    const request = async () => {
      const settled = dep.settle(always500, { idempotent: true });
      await clock.runToIdle();
      return settled;
    };
    expect((await request()).error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'attempts' });
    expect(calls).toBe(3);
    expect((await request()).error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'breaker' });
    expect(calls).toBe(5);
    expect(codesOf([await request()])).toEqual(['ERR_BREAKER_OPEN']);
    expect(calls).toBe(5);
  }, 30_000);

  test('C-021 runs the function it is given, and shares no breaker between calls without a key', async () => {
    const { dep } = guarded({});
    await expect(dep.call(async () => 'f')).resolves.toBe('f');
    await expect(dep.call(async () => 'g')).resolves.toBe('g');

    for (const key of [undefined, '']) {
      const broken = scoped(() => key as string);
      const outcome = await broken.dep.settle(good);
      expect(isSpillwayError(outcome.error, 'ERR_CONFIG')).toBe(true);
      expect((outcome.error as Error).message).toContain('dependencies.dep.breaker.scope');
      expect(broken.now().breakers).toEqual([]);
    }
  }, 30_000);

  test('C-023 stays bounded whatever keys outsiders make up', async () => {
    const byOrigin = scoped('origin');
    await byOrigin.dep.run(operation('http://broken', '/', false));
    expect(byOrigin.dep.breaker('http://broken').state).toBe('open');
    for (let i = 0; i < 10_000; i++) await byOrigin.dep.run(operation(`http://host-${i}`, `/?user=${i}`));
    const { breakers } = byOrigin.now();
    expect(breakers).toHaveLength(1000);
    expect(byOrigin.dep.breaker('http://broken').state).toBe('open');

    const byEndpoint = scoped('endpoint');
    for (let i = 0; i < 1000; i++) await byEndpoint.dep.run(operation('http://host', `/users?id=${i}#x`));
    expect(byEndpoint.now().breakers.map(({ key }) => key)).toEqual(['GET /users']);

    const read = scoped('endpoint');
    await read.dep.run(operation('http://host', '/users'));
    for (let i = 0; i < 1000; i++) expect(read.dep.breaker('GET /users').state).toBe('closed');
    expect(read.now().breakers).toHaveLength(1);
    expect([read.clock.pending, read.dep.breaker('GET /other').state]).toEqual([0, 'closed']);
    expect(read.now().breakers).toHaveLength(1);
    await repeat(2, () => read.dep.settle(bad));
  }, 30_000);
});
