import { expect, test } from '@jest/globals';
import type { CheckInput } from '../../src/check/input.js';
import { type WorstCaseReport, worstCases } from '../../src/check/report.js';
import { resolveConfig } from '../../src/config/resolve.js';
import type { SpillwayConfig } from '../../src/config/types.js';

function report(config: SpillwayConfig, input?: CheckInput): WorstCaseReport {
  return worstCases(config, resolveConfig(config), input);
}

test('a report holds attempts, time and units of each dependency', () => {
  const { dependencies } = report(
    {
      dependencies: {
        slow: { attempt: { timeout: '5s' }, deadline: '20s' },
        quick: { attempt: { timeout: 180 }, retry: false },
        unknown: { bulkhead: false },
        endless: { deadline: false, attempt: { timeout: false } },
      },
    },
    { traffic: { slow: { rate: 50 }, quick: { rate: 50 }, endless: { rate: 50 } } },
  );
  expect(dependencies).toMatchObject([
    {
      dependency: 'slow',
      attempts: 3,
      timeMs: 15_300,
      units: 250,
      unitsArithmetic: '50/s x 5 s = 250',
      concurrent: 50,
    },
    { dependency: 'quick', attempts: 1, timeMs: 180, units: 9, unitsArithmetic: '50/s x 180 ms = 9' },
    { dependency: 'unknown', units: undefined, unitsArithmetic: undefined, concurrent: undefined },
    { dependency: 'endless', timeMs: Number.POSITIVE_INFINITY, units: undefined },
  ]);
});

test('a report holds each path of the graph', () => {
  const { paths } = report(
    { service: 'gateway', dependencies: { orders: { retry: { attempts: 4 }, attempt: { timeout: '1s' } } } },
    {
      graph: {
        services: {
          client: { calls: { gateway: { attempts: 4, deadline: '9s' } } },
          gateway: { calls: { orders: {} } },
        },
      },
    },
  );
  expect(paths).toMatchObject([
    {
      services: ['client', 'gateway', 'orders'],
      product: 16,
      attempts: 4,
      arithmetic: '4 x 4 = 16',
      timeMs: 9_000,
    },
  ]);
});

test('a report refuses wrong declarations', () => {
  expect(() => report({}, { instances: 0 })).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
});
