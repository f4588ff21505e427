import { describe, expect, test } from '@jest/globals';
import { compileTrust } from '../../src/config/trust.js';

describe('trust', () => {
  test('is given to nobody by default', () => {
    const trusts = compileTrust(undefined);
    expect([trusts('127.0.0.1'), trusts('::1'), trusts(undefined)]).toEqual([false, false, false]);
  });

  test.each([
    ['10.0.0.0/8', '10.255.1.2', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::FFFF:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:a01:203', true],
    ['10.0.0.0/8', '0:0:0:0:0:ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:11.1.2.3', false],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
    ['::ffff:10.1.2.3', '10.1.2.3', true],
    ['192.168.1.7', '192.168.1.7', true],
    ['192.168.1.7', '192.168.1.8', false],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['fd00::/8', 'fd12:3456::1', true],
    ['fd00::/8', 'fe80::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['::1', '::1', true],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['10.0.0.0/8', 'quotes.internal', false],
    ['10.0.0.0/8', '', false],
    ['10.0.0.0/8', '10.1.2.3, 8.8.8.8', false],
  ])('in %p holds for %p: %p', (entry, peer, expected) => {
    expect(compileTrust([entry])(peer)).toBe(expected);
  });

  test('needs an address: a closed socket has none', () => {
    expect(compileTrust(['0.0.0.0/0'])(undefined)).toBe(false);
    expect(compileTrust(() => true)(undefined)).toBe(false);
  });

  test('by predicate is given for true alone, and to nobody when it throws', () => {
    expect(compileTrust((peer) => peer === '127.0.0.1')('127.0.0.1')).toBe(true);
    expect(compileTrust((() => 'yes') as unknown as () => boolean)('127.0.0.1')).toBe(false);
    const broken = compileTrust(() => {
      throw new Error('no list');
    });
    expect(broken('127.0.0.1')).toBe(false);
  });
});
