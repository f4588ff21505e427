import { expect, test } from '@jest/globals';
import { Permit, type PermitEnd } from '../../src/algorithms/permit.js';

test.each(['success', 'ignored', 'dropped'] as const)(
  'a permit ends once, as %s, however often its end is reported',
  (how) => {
    const ends: PermitEnd[] = [];
    const permit = new Permit((end) => ends.push(end));
    expect(permit.ended).toBe(false);
    expect(permit.end(how)).toBe(true);
    expect(permit.ended).toBe(true);
    expect(permit.end('dropped')).toBe(false);
    expect(permit.end('success')).toBe(false);
    expect(ends).toEqual([how]);
  },
);

test('a permit has ended already while its end is being told', () => {
  let calls = 0;
  const permit: Permit = new Permit(() => {
    calls++;
    permit.end('success');
  });
  permit.end('ignored');
  expect(calls).toBe(1);
});
