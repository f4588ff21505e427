import { describe, expect, it } from '@jest/globals';
import { DeadlineHeaders, formatBudget } from '../../src/inbound/deadline-headers.js';

const trusting = () => true;
const nobody = () => false;

function read(headers: Record<string, string>, aliases = new DeadlineHeaders(), trusts = trusting) {
  const socket = { remoteAddress: '10.0.0.1' };
  return aliases.read({ headers, socket } as never, trusts);
}

const grpc = (value: string) => read({ 'grpc-timeout': value });

describe('grpc-timeout', () => {
  // vectors D1 to D20
  it.each([
    ['100m', 100],
    ['00000001n', 1],
    ['10u', 1],
    ['00000010m', 10],
    ['1234S', 1_234_000],
    ['00000001M', 60_000],
    ['09999999S', 2_147_483_647],
    ['99999999S', 2_147_483_647],
    ['99999999M', 2_147_483_647],
    ['2562047H', 2_147_483_647],
    ['2562048H', 2_147_483_647],
    ['99999999H', 2_147_483_647],
    ['597H', 2_147_483_647],
    ['596H', 2_145_600_000],
    ['1H', 3_600_000],
    ['1000u', 1],
    ['1000000n', 1],
    ['1024m', 1024],
    ['1000001u', 1001],
    ['12345678n', 13],
    ['100u', 1],
    ['0S', 0],
    ['00000000S', 0],
    ['0n', 0],
  ])('%s is %d ms', (value, ms) => {
    expect(grpc(value)).toMatchObject({ ms, source: 'grpc-timeout', malformed: [] });
  });

  it.each([
    '',
    '1',
    '1234',
    '12345678',
    '-1S',
    '-1m',
    '1234x',
    '1234s',
    '1X',
    'foo',
    'HH',
    '9a1S',
    '1H1H',
    '000000000S',
    '123456789m',
    '123456789S',
    '123F',
    '1.5S',
    ' 1S',
    '1 S',
    '+1S',
    'abc5S',
    'S',
    '1S, 2S',
    '１S',
  ])('%j is malformed', (value) => {
    expect(grpc(value)).toMatchObject({ ms: undefined, source: 'default', malformed: ['grpc-timeout'] });
  });
});

describe('a plain header in milliseconds', () => {
  it.each([
    ['1', 1],
    ['500', 500],
    ['000500', 500],
    ['999999999999999', 2_147_483_647],
  ])('%s is %d ms', (value, ms) => {
    expect(read({ 'x-request-budget-ms': value })).toMatchObject({ ms, source: 'x-request-budget-ms' });
  });

  // C-059, H14
  it.each([
    '-1',
    '0',
    '+5',
    '1e3',
    '10s',
    '5.5',
    '',
    'NaN',
    '50, 5000',
    '50, 50',
    '0x10',
    ' 50',
    'Infinity',
    '1'.repeat(16),
  ])('%j is malformed', (value) => {
    expect(read({ 'x-request-budget-ms': value })).toMatchObject({
      ms: undefined,
      malformed: ['x-request-budget-ms'],
    });
  });
});

describe('connect-timeout-ms', () => {
  it.each([
    ['250', 250],
    ['0', 0],
    ['9999999999', 2_147_483_647],
  ])('%s is %d ms', (value, ms) => {
    expect(read({ 'connect-timeout-ms': value })).toMatchObject({ ms });
  });

  it.each(['12345678901', '-1', '1.5', '', '5, 7'])('%j is malformed', (value) => {
    expect(read({ 'connect-timeout-ms': value })).toMatchObject({ malformed: ['connect-timeout-ms'] });
  });
});

describe("Envoy's header", () => {
  const NAME = 'x-envoy-expected-rq-timeout-ms';

  it('sets no deadline when it is 0, its infinite', () => {
    expect(read({ [NAME]: '0' })).toMatchObject({ ms: undefined, source: 'default', malformed: [] });
  });

  it.each(['-5', '1.5', '1e3', '0x10', '', '5, 7'])('%j is malformed', (value) => {
    expect(read({ [NAME]: value })).toMatchObject({ ms: undefined, malformed: [NAME] });
  });

  it('is read from a trusted peer only', () => {
    expect(read({ [NAME]: '300' })).toMatchObject({ ms: 300, source: NAME });
    expect(read({ [NAME]: '300' }, new DeadlineHeaders(), nobody)).toMatchObject({ ms: undefined });
    expect(read({ [NAME]: 'x' }, new DeadlineHeaders(), nobody)).toMatchObject({ malformed: [] });
  });
});

describe('several headers', () => {
  it('the shortest of all valid ones counts', () => {
    const headers = { 'grpc-timeout': '500m', 'x-envoy-expected-rq-timeout-ms': '300' };
    expect(read(headers)).toMatchObject({ ms: 300, source: 'x-envoy-expected-rq-timeout-ms' });
    expect(read({ 'x-request-budget-ms': '200', ...headers })).toMatchObject({
      ms: 200,
      source: 'x-request-budget-ms',
    });
  });

  it('a malformed one is left out and named, the others count', () => {
    expect(read({ 'x-request-budget-ms': 'soon', 'connect-timeout-ms': 'x', 'grpc-timeout': '1S' })).toEqual(
      expect.objectContaining({ ms: 1000, malformed: ['x-request-budget-ms', 'connect-timeout-ms'] }),
    );
  });

  it('none allocates nothing', () => {
    expect(read({})).toBe(read({ host: 'x' }));
    expect(read({})).toEqual({ ms: undefined, source: 'default', malformed: [] });
  });
});

describe('aliases', () => {
  const aliases = new DeadlineHeaders([
    { header: 'X-Server-Timeout', unit: 's' },
    { header: 'Context-TTL-MS', unit: 'ms' },
  ]);

  it.each([
    ['x-server-timeout', '2', 2000],
    ['context-ttl-ms', '750', 750],
  ])('%s: %s is %d ms', (name, value, ms) => {
    expect(read({ [name]: value }, aliases)).toMatchObject({ ms, source: name });
  });

  it.each(['0', '1.5', '2s', '', '1, 2', '1'.repeat(13)])('%j seconds are malformed', (value) => {
    expect(read({ 'x-server-timeout': value }, aliases)).toMatchObject({ malformed: ['x-server-timeout'] });
  });
});

describe('the budget that goes out', () => {
  // C-060
  it.each([
    [400.9, '400'],
    [1, '1'],
    [0.4, '1'],
    [172_800_000, '172800000'],
    [1e12, '2147483647'],
  ])('%d ms left is %s', (left, value) => {
    expect(formatBudget(left)).toBe(value);
  });

  it.each([0, -3, Number.NaN])('%d ms left is not sent', (left) => {
    expect(formatBudget(left)).toBeUndefined();
  });
});
