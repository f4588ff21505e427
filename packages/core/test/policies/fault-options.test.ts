import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { type Fault, readFault } from '../../src/policies/fault-options.js';

const NOW = 5000;
const read = (fault: unknown) => readFault('db', fault as Fault, NOW);

function refusalOf(fault: unknown): unknown {
  try {
    return read(fault);
  } catch (error) {
    return error;
  }
}

describe('a fault', () => {
  test('befalls every attempt, for ever, unless it says otherwise', () => {
    expect(read({ status: 503 })).toEqual({
      share: 1,
      latencyMs: 0,
      answer: { status: 503 },
      lastsMs: Number.POSITIVE_INFINITY,
      kind: 'status',
    });
  });

  test.each<[Fault, string, unknown]>([
    [{ latency: '400ms' }, 'latency', undefined],
    [{ latency: 0 }, 'latency', undefined],
    [{ status: 500 }, 'status', { status: 500 }],
    [{ error: 'ECONNRESET' }, 'error', { code: 'ECONNRESET' }],
    [{ status: 500, latency: 0 }, 'status', { status: 500 }],
    [{ status: 500, latency: '1ms' }, 'latency+status', { status: 500 }],
    [{ error: 'ECONNRESET', latency: 20 }, 'latency+error', { code: 'ECONNRESET' }],
  ])('%j is of kind %s', (fault, kind, answer) => {
    expect(read(fault)).toMatchObject({ kind, answer });
  });

  test.each<[Fault]>([
    [{ status: 200 }],
    [{ status: 599 }],
    [{ status: 500, share: 0.001 }],
    [{ status: 500, share: 1 }],
    [{ error: 'E2' }],
    [{ error: `E${'_'.repeat(63)}` }],
    [{ status: 500, until: 1 }],
    [{ status: 500, until: new Date(NOW + 1) }],
  ])('may be %j', (fault) => {
    expect(read(fault)).toMatchObject({ share: fault.share ?? 1 });
  });

  test.each<[Fault['until'], number]>([
    [250, 250],
    ['2s', 2000],
    [new Date(NOW + 250), 250],
  ])('until %p lasts %i ms', (until, lastsMs) => {
    expect(read({ status: 500, until }).lastsMs).toBe(lastsMs);
  });

  test('may throw an Error, one of another realm too, and whatever has the name and the message of one', () => {
    for (const error of [new Error('x'), runInNewContext('new RangeError("x")'), { name: 'E', message: '' }])
      expect(read({ error }).answer).toEqual({ error });
  });
});

describe('refused is', () => {
  test.each<[unknown, string]>([
    ['500', "the fault is '500', allowed is an object with latency, status or error"],
    [{ share: 0.5 }, 'the fault is an object, allowed is one with latency, status or error'],
    [{ status: 500, state: 1 }, "an option is 'state', allowed is share, latency, status, error, until"],
    [{ status: 500, share: '0.5' }, "share is '0.5', allowed is above 0 up to 1"],
    [{ status: 500, share: Number.NaN }, 'share is NaN, allowed is above 0 up to 1'],
    [{ latency: -1 }, "latency is -1, allowed is a duration of 0 or more, as '400ms'"],
    [{ status: 199 }, 'status is 199, allowed is a whole number from 200 to 599'],
    [{ status: 600 }, 'status is 600, allowed is a whole number from 200 to 599'],
    [{ status: 404.5 }, 'status is 404.5, allowed is a whole number from 200 to 599'],
    [{ error: 'an ECONNRESET' }, "error is 'an ECONNRESET', allowed is a code as 'ECONNRESET', or an Error"],
    [{ error: 'ECONNRESET!' }, "error is 'ECONNRESET!', allowed is a code as 'ECONNRESET', or an Error"],
    [{ error: 'E' }, "error is 'E', allowed is a code as 'ECONNRESET', or an Error"],
    [
      { error: `E${'_'.repeat(64)}` },
      `error is 'E${'_'.repeat(64)}', allowed is a code as 'ECONNRESET', or an Error`,
    ],
    [{ error: ['ECONNRESET'] }, "error is an object, allowed is a code as 'ECONNRESET', or an Error"],
    [{ error: { toString: () => 'ECONNRESET' } }, 'error is an object, allowed is a code'],
    [{ error: { message: 'x' } }, 'error is an object, allowed is a code'],
    [{ error: { name: 'x' } }, 'error is an object, allowed is a code'],
    [{ error: null }, "error is null, allowed is a code as 'ECONNRESET', or an Error"],
    [{ error: 7 }, 'error is 7, allowed is a code'],
    [{ status: 500, error: 'ECONNRESET' }, 'status is 500, allowed is nothing beside error'],
    [
      { status: 500, until: 'later' },
      "until is 'later', allowed is a duration above 0, as '5m', or a later Date",
    ],
    [{ status: 500, until: new Date(NOW) }, 'until is 1970-01-01T00:00:05.000Z, allowed is a duration'],
  ])('%j', (fault, message) => {
    expect(refusalOf(fault)).toMatchObject({
      code: 'ERR_CONFIG',
      dependency: 'db',
      message: expect.stringContaining(`inject into db: ${message}`),
    });
  });

  test('a function that calls itself an error', () => {
    const odd = Object.assign(() => undefined, { message: 'x' });
    expect(refusalOf({ error: odd })).toMatchObject({ code: 'ERR_CONFIG' });
  });
});
