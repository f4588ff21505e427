import { describe, expect, test } from '@jest/globals';
import { type ConnectionFacts, kindOfFailure } from '../../src/outcome/failure-kind.js';

const FACTS: ConnectionFacts = {
  opened: true,
  connected: true,
  status: undefined,
  complete: false,
  hasRetryAfter: false,
  reusedInSilence: false,
  resendable: true,
  keyed: false,
};

const coded = (code: string, name = 'RequestError') => Object.assign(new Error(code), { code, name });

describe('the row of a failure', () => {
  test.each<[string, Partial<ConnectionFacts>, Error, string]>([
    ['a refused connection', { connected: false }, coded('ECONNREFUSED'), 'unsent'],
    ['any end before the connection stood', { connected: false }, coded('ECONNRESET'), 'unsent'],
    ['a look-up that fails', {}, coded('ENOTFOUND'), 'unsent'],
    ['a certificate', { connected: false }, coded('CERT_HAS_EXPIRED'), 'certificate'],
    ['a reset', {}, coded('ECONNRESET'), 'reset'],
    ['a broken pipe', {}, coded('EPIPE'), 'reset'],
    ['a reset of a reused connection in silence', { reusedInSilence: true }, coded('ECONNRESET'), 'stale'],
    ['a broken pipe on one', { reusedInSilence: true }, coded('EPIPE'), 'stale'],
    ['another error on one', { reusedInSilence: true }, coded('HPE_INVALID_CONSTANT'), 'reset'],
    [
      'one that may not be repeated',
      { reusedInSilence: true, resendable: false },
      coded('ECONNRESET'),
      'reset',
    ],
    ['an answer that ends early', { status: 200 }, coded('ECONNRESET', 'ReadError'), 'truncated'],
    ['compressed data that ends early', { status: 200 }, coded('Z_BUF_ERROR', 'ReadError'), 'truncated'],
    ['what is no compressed data', { status: 200 }, coded('Z_DATA_ERROR', 'ReadError'), 'unparsable'],
    [
      'a whole answer that cannot be read',
      { status: 200, complete: true },
      coded('X', 'ReadError'),
      'unparsable',
    ],
    [
      'a body that does not parse',
      { status: 200 },
      coded('ERR_BODY_PARSE_FAILURE', 'ParseError'),
      'unparsable',
    ],
    ['too many redirects', { status: 302 }, coded('ERR_TOO_MANY_REDIRECTS', 'MaxRedirectsError'), 'answer'],
    ['404', { status: 404 }, coded('', 'HTTPError'), 'answer'],
    ['408', { status: 408 }, coded('', 'HTTPError'), 'transient-status'],
    ['429', { status: 429 }, coded('', 'HTTPError'), 'throttled'],
    [
      '409 with a key and Retry-After',
      { status: 409, keyed: true, hasRetryAfter: true },
      coded('', 'HTTPError'),
      'in-progress',
    ],
    ['409 with a key', { status: 409, keyed: true }, coded('', 'HTTPError'), 'answer'],
    ['500', { status: 500 }, coded('', 'HTTPError'), 'server-error'],
    ['501', { status: 501 }, coded('', 'HTTPError'), 'server-fault'],
    [
      'what never was a request',
      { opened: false, connected: false },
      coded('ERR_GOT_REQUEST_ERROR'),
      'misuse',
    ],
    ["a body of the user's that fails", {}, coded('ERR_UPLOAD', 'UploadError'), 'misuse'],
  ])('%s', (_name, facts, error, kind) => {
    expect(kindOfFailure(error, { ...FACTS, ...facts })).toBe(kind);
  });

  test('something thrown that is no error at all is read like one', () => {
    expect(kindOfFailure(undefined, FACTS)).toBe('reset');
    expect(kindOfFailure('gone', { ...FACTS, opened: false })).toBe('misuse');
  });
});
