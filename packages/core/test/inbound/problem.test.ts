import { describe, expect, it } from '@jest/globals';
import { malformedDeadlineProblem, problemOf } from '../../src/inbound/problem.js';
import { RefusalProblems } from '../../src/inbound/refusal-problems.js';
import { ERROR_CATALOGUE, type ErrorCode, spillwayError } from '../../src/index.js';

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

describe('problem details', () => {
  it.each(CODES)('of %s carry its status and an absolute type', (code) => {
    const { status, headers, body } = problemOf(spillwayError(code, 'what happened'), 'shop');
    const problem = JSON.parse(body);
    expect(status).toBe(ERROR_CATALOGUE[code].status);
    expect(headers['Content-Type']).toBe('application/problem+json');
    expect(problem).toMatchObject({ status, code, service: 'shop' });
    expect(problem.type).toMatch(/^https:\/\//);
    expect(problem.title).not.toBe('');
  });

  it('have a type of their own for every error that is shown', () => {
    const types = CODES.map((code) => JSON.parse(problemOf(spillwayError(code, 'x'), 's').body).type);
    expect(new Set(types).size).toBe(CODES.length);
  });

  it('of a shed request are the registered problem of reduced capacity, with the time to come back', () => {
    const { headers, body } = problemOf(spillwayError('ERR_OVERLOADED', 'full', { retryAfterMs: 1900 }), 's');
    expect(JSON.parse(body).type).toBe(
      'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
    );
    expect(headers['Retry-After']).toBe('2');
  });

  it('show nothing of a cause but that there was a failure', () => {
    const cause = Object.assign(new Error('connect to postgres://user:hunter2@db failed'), {
      options: { headers: { authorization: 'Bearer hunter2' }, url: new URL('http://db/x?token=hunter2') },
      response: { statusCode: 503, body: 'hunter2' },
    });
    const error = spillwayError('ERR_UPSTREAM', 'quotes failed', {
      cause,
      dependency: 'quotes',
      attempts: 3,
    });
    const { body } = problemOf(error, 's');
    expect(body).not.toContain('hunter2');
    expect(body).not.toContain('stack');
    expect(JSON.parse(body)).toMatchObject({ detail: 'quotes failed', dependency: 'quotes', attempts: 3 });
  });

  it('of misuse keep what happened to themselves', () => {
    const { body } = problemOf(spillwayError('ERR_CONFIG', 'secret option', { dependency: 'vault' }), 's');
    expect(body).not.toContain('secret');
    expect(body).not.toContain('vault');
  });

  it('of a malformed deadline name the header and what to do', () => {
    const { status, body } = malformedDeadlineProblem(['x-request-budget-ms'], 's');
    expect(status).toBe(400);
    expect(JSON.parse(body).detail).toContain('x-request-budget-ms');
    expect(JSON.parse(body).detail).toContain('whole milliseconds');
  });

  it.each([
    [200, '1'],
    [1000, '1'],
    [1001, '2'],
    [30_000, '30'],
  ])('of a refusal for %d ms say %s s, and are made once', (ms, seconds) => {
    const refusals = new RefusalProblems('shop');
    const problem = refusals.of(false, ms);
    expect(problem).toBe(refusals.of(false, ms));
    expect(problem).not.toBe(refusals.of(true, ms));
    expect(problem.headers['Retry-After']).toBe(seconds);
    expect(problem.headers['Content-Length']).toBe(String(problem.body.length));
    expect(JSON.parse(problem.body)).toMatchObject({ service: 'shop', retryAfterMs: Number(seconds) * 1000 });
  });
});
