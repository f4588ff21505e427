import { describe, expect, test } from '@jest/globals';
import { isSpillwayError } from '@spillway/core';
import { type Scenario, type ScenarioIssue, simulate } from '../../src/index.js';
import { resolveScenario } from '../../src/scenario/resolve.js';

const small = {
  duration: '1s',
  services: { shop: { calls: ['quotes'], spillway: { dependencies: { quotes: {} } } }, quotes: {} },
  traffic: { users: { to: 'shop', arrivals: { rate: 10 } } },
};

async function issuesOf(scenario: unknown): Promise<readonly ScenarioIssue[]> {
  const error: unknown = await simulate(scenario as Scenario).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isSpillwayError(error, 'ERR_CONFIG')) throw error;
  return (error.details as { issues: readonly ScenarioIssue[] }).issues;
}

describe('a scenario', () => {
  test('fills in its defaults', () => {
    const resolved = resolveScenario(small);
    expect(resolved).toMatchObject({ seed: 1, duration: 1000, settle: 60_000, step: 50, expect: [] });
    expect(resolved.services['quotes']).toMatchObject({
      latency: { law: 'fixed', ms: 10 },
      capacity: Number.POSITIVE_INFINITY,
      queue: 1000,
      instances: 1,
      whenGone: 'finish',
    });
    expect(resolved.traffic['users']).toMatchObject({ patience: Number.POSITIVE_INFINITY });
  });

  test.each([
    ['duration', { ...small, duration: '10x' }, "'10x'", 'a duration'],
    ['duration', { services: small.services, traffic: small.traffic }, 'undefined', 'a duration'],
    [
      'services.quotes.capacity',
      patched({ services: { ...small.services, quotes: { capacity: 0 } } }),
      '0',
      'a whole number from 1 to 1,000,000',
    ],
    [
      'services.quotes.latency',
      patched({ services: { ...small.services, quotes: { latency: {} } } }),
      'an object',
      'one of fixed',
    ],
    [
      'services.quotes.latency',
      patched({ services: { ...small.services, quotes: { latency: -5 } } }),
      '-5',
      'a duration',
    ],
    [
      'services.quotes.latency.logNormal.p99',
      patched({
        services: { ...small.services, quotes: { latency: { logNormal: { median: 5, p99: 'x' } } } },
      }),
      "'x'",
      'a duration',
    ],
    [
      'services.quotes.faults[0].share',
      patched({ services: { ...small.services, quotes: { faults: [{ kind: 'status', share: 2 }] } } }),
      '2',
      'a number above 0, up to 1',
    ],
    [
      'services.quotes.faults[0].kind',
      patched({ services: { ...small.services, quotes: { faults: [{ kind: 'fire' }] } } }),
      "'fire'",
      "'status' or 'slow'",
    ],
    [
      'traffic.users.to',
      patched({ traffic: { users: { to: 'nobody', arrivals: { rate: 1 } } } }),
      "'nobody'",
      'shop, quotes',
    ],
    [
      'traffic.users.arrivals',
      patched({ traffic: { users: { to: 'shop', arrivals: { rate: 1, callers: 2 } } } }),
      'an object',
      'one of rate, callers, trace',
    ],
    [
      'traffic.users.arrivals.trace',
      patched({ traffic: { users: { to: 'shop', arrivals: { trace: [3, 1] } } } }),
      'a list of 2',
      'in order',
    ],
    [
      'traffic.users.arrivals.trace',
      patched({ traffic: { users: { to: 'shop', arrivals: { trace: 'x.csv' } } } }),
      "'x.csv'",
      'readTrace',
    ],
    [
      'services.shop.calls[0].to',
      patched({ services: { ...small.services, shop: { calls: ['quotes'], spillway: {} } } }),
      "'quotes'",
      'services.shop.spillway.dependencies',
    ],
    [
      'services.shop.spillway.dependencies.quotes.retry.attempts',
      patched({
        services: {
          ...small.services,
          shop: { spillway: { dependencies: { quotes: { retry: { attempts: 0 } } } } },
        },
      }),
      '0',
      'a whole number from 1 to 100',
    ],
    ['focus', patched({ focus: 'shop.qoutes' }), "'shop.qoutes'", 'shop.quotes'],
    ['expect[0]', patched({ expect: ['amplification is low'] }), "'amplification is low'", 'recovery <= 5s'],
    ['expect[0]', patched({ expect: ['shop.nothing < 3'] }), "'shop.nothing < 3'", 'goodShare'],
    ['variants', patched({ variants: { a: 3 } }), 'an object', 'parts of a scenario by name'],
    ['colour', patched({ colour: 'red' }), 'not shown', 'duration'],
  ])(
    'that is wrong at %s is refused with its value and what is allowed',
    async (path, scenario, value, allowed) => {
      const [issue] = await issuesOf(scenario);
      expect(issue).toMatchObject({ path, value });
      expect(issue?.allowed).toContain(allowed);
      expect(issue?.message).toContain(path);
    },
  );

  test('shows every mistake at once', async () => {
    const issues = await issuesOf({ ...small, duration: 0, seed: -1, step: 'soon' });
    expect(issues.map(({ path }) => path)).toEqual(['seed', 'duration', 'step']);
  });

  test('that calls itself in a circle is refused, with the circle', async () => {
    const calling = (to: string) => ({ calls: [to], spillway: { dependencies: { [to]: {} } } });
    const [issue] = await issuesOf(
      patched({ services: { shop: calling('quotes'), quotes: calling('shop') } }),
    );
    expect(issue?.value).toBe("'shop -> quotes -> shop'");
  });

  test('that is no object is refused', async () => {
    for (const wrong of [undefined, null, 3, 'outage', [], new Date(0)]) {
      const [issue] = await issuesOf(wrong);
      expect(issue?.path).toBe('the scenario');
    }
  });
});

function patched(patch: object): unknown {
  return { ...small, ...patch };
}
