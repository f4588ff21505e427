import { expect, test } from '@jest/globals';
import { resolveConfig } from '../../src/config/resolve.js';
import { type AddsNothing, durations } from './config.test-d.js';

// what does not compile is held by config.test-d.ts, which `tsc -p packages/core/test` checks
test('what compiles as a configuration is also accepted when it runs', () => {
  const holds: AddsNothing = [true, true, true];
  const dependencies = Object.fromEntries(durations().map((deadline, i) => [`d${i}`, { deadline }]));
  // @ts-expect-error the last one has no unit, and is refused by both
  const wrong: AddsNothing = [true, true, false];
  expect(holds).not.toEqual(wrong);
  expect(() => resolveConfig({ dependencies })).toThrow(
    expect.objectContaining({ message: expect.stringContaining("dependencies.d6.deadline is '5'.") }),
  );
});
