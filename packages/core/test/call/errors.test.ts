import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createSpillway, spillwayError } from '../../src/index.js';
import { rig } from '../pipeline/harness.js';

describe('what an error shows', () => {
  test('one that happens in operation has its text where a stack would stand, and no frames', () => {
    const error = spillwayError('ERR_BULKHEAD_FULL', 'No unit is free', { dependency: 'quotes' });
    expect(error.stack).toBe('SpillwayError: No unit is free');
    expect(error.message).toBe('No unit is free');
    expect(String(error)).toBe('SpillwayError: No unit is free');
  });

  test("a programmer's mistake has the frames that lead to it, under its message", () => {
    let thrown: unknown;
    try {
      createSpillway({ service: '' });
    } catch (error) {
      thrown = error;
    }
    expect((thrown as Error).stack).toMatch(/^SpillwayError: .*configuration[\s\S]*\n {4}at /);
  });

  test('an error is one by every sign: instance, tag, text, JSON, a copy that crosses threads', () => {
    const error = spillwayError('ERR_BREAKER_OPEN', 'The breaker of quotes is open', { retryAfterMs: 1500 });
    expect(error).toBeInstanceOf(Error);
    expect(Object.prototype.toString.call(error)).toBe('[object Error]');
    expect(structuredClone(error).message).toBe('The breaker of quotes is open');
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      code: 'ERR_BREAKER_OPEN',
      message: 'The breaker of quotes is open',
    });
    expect(inspect(error)).toContain('SpillwayError [ERR_BREAKER_OPEN]: The breaker of quotes is open');
  });

  test('its message stays with it when its other members are copied to another error', () => {
    const inner = spillwayError('ERR_BREAKER_OPEN', 'The breaker of quotes is open');
    const outer = Object.assign(new Error('could not load the price'), inner);
    expect([outer.message, outer.code]).toEqual(['could not load the price', 'ERR_BREAKER_OPEN']);
  });

  test('limits of stacks that an application has set are left as they were', () => {
    const before = Error.stackTraceLimit;
    Error.stackTraceLimit = 7;
    try {
      spillwayError('ERR_BREAKER_OPEN', 'The breaker of quotes is open');
      expect(Error.stackTraceLimit).toBe(7);
    } finally {
      Error.stackTraceLimit = before;
    }
  });
});

describe('a refusal by an open breaker', () => {
  const open = () => {
    const { spillway } = rig({});
    const dep = spillway.dependency('dep');
    dep.breaker.forceOpen();
    return dep;
  };

  test('as a value tells all but a stack, which nobody prints', async () => {
    const { error } = await open().settle(async () => 1);
    expect(error).toMatchObject({
      code: 'ERR_BREAKER_OPEN',
      message: 'The breaker of dep is open',
      sent: 'no',
    });
    expect((error as Error).stack).toBeUndefined();
    expect(inspect(error)).toContain('The breaker of dep is open');
  });

  test('thrown, it has its text where loggers look for a stack', async () => {
    const error = await open()
      .call(async () => 1)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'ERR_BREAKER_OPEN',
      stack: 'SpillwayError: The breaker of dep is open',
    });
  });
});
