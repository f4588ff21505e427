import { describe, expect, test } from '@jest/globals';
import { gatherFacts } from '../../src/check/facts.js';
import type { CallGraph, GraphCall } from '../../src/check/input.js';
import { type GraphPath, graphCycles, graphPaths } from '../../src/check/paths.js';
import { resolveConfig } from '../../src/config/resolve.js';
import type { SpillwayConfig } from '../../src/config/types.js';
import { findAll, ofRule } from './find.js';

/** A chain of services, s0 calling s1 and so on. */
function chain(...calls: GraphCall[]): CallGraph {
  const services = Object.fromEntries(
    calls.map((call, i) => [`s${i}`, { calls: { [`s${i + 1}`]: call } }] as const),
  );
  return { services };
}

function paths(graph: CallGraph, config: SpillwayConfig = {}): GraphPath[] {
  return graphPaths(gatherFacts(config, resolveConfig(config), { graph }));
}

function path(graph: CallGraph, config?: SpillwayConfig): GraphPath {
  const [only, ...more] = paths(graph, config);
  if (only === undefined || more.length > 0) throw new Error('not one path');
  return only;
}

const ignoring = (attempts: number): GraphCall => ({ attempts, owner: 'ignore' });
const here = (attempts: number): GraphCall => ({ attempts });

describe('attempts multiply along a path', () => {
  test.each([
    [chain(ignoring(4), ignoring(4), ignoring(4)), '4 x 4 x 4 = 64', 64, 64],
    [chain(ignoring(3), ignoring(3), ignoring(3)), '3 x 3 x 3 = 27', 27, 27],
    [chain(ignoring(3), ignoring(3), ignoring(3), ignoring(3)), '3 x 3 x 3 x 3 = 81', 81, 81],
    [chain(here(4), here(4), here(4)), '4 x 4 x 4 = 64', 64, 4],
    [chain(here(3), here(3), here(3)), '3 x 3 x 3 = 27', 27, 3],
    [chain(here(3), here(3), here(3), here(3)), '3 x 3 x 3 x 3 = 81', 81, 3],
    [chain({ attempts: 3, meshAttempts: 3 }), 'app 3 x mesh 3 = 9', 9, 9],
    [
      chain({ attempts: 3, meshAttempts: 3, owner: 'ignore' }, { attempts: 3, meshAttempts: 3 }),
      'app 3 x mesh 3 x app 3 x mesh 3 = 81',
      81,
      81,
    ],
    // the last layer does not retry: the one above it owns the retries
    [chain(here(4), here(4), here(1)), '4 x 4 x 1 = 16', 16, 4],
    [chain(here(4), { attempts: 4, owner: 'above' }), '4 x 4 = 16', 16, 4],
    // a layer without Spillway neither heeds nor passes on
    [chain({ attempts: 4, spillway: false }, here(4), here(4)), '4 x 4 x 4 = 64', 64, 16],
    [chain(here(4), { attempts: 1, spillway: false }, here(4)), '4 x 1 x 4 = 16', 16, 16],
    [chain(here(4), ignoring(1), here(4)), '4 x 1 x 4 = 16', 16, 4],
  ])('%j: %s', (graph, arithmetic, product, attempts) => {
    expect(path(graph)).toMatchObject({ arithmetic, product, attempts });
  });

  test('a hop of the checked service has its own numbers', () => {
    const config: SpillwayConfig = {
      service: 's1',
      dependencies: { s2: { retry: { attempts: 4, owner: 'ignore' } } },
    };
    const graph: CallGraph = {
      services: { s0: { calls: { s1: here(2) } }, s1: { calls: { s2: {}, s3: {} } } },
    };
    expect(paths(graph, config).map(({ services, attempts }) => [services.join(), attempts])).toEqual([
      ['s0,s1,s2', 4],
      ['s0,s1,s3', 2],
    ]);
  });
});

describe('time along a path', () => {
  test('an attempt without a timeout takes what the hop below takes', () => {
    const graph = chain(here(2), { attempts: 3, timeout: '1s' });
    expect(path(graph).timeMs).toBe(6_000);
  });

  test('is cut by each deadline', () => {
    const graph = chain({ attempts: 2, deadline: '4s' }, { attempts: 3, timeout: '1s', deadline: '2.5s' });
    expect(path(graph).timeMs).toBe(4_000);
    expect(path(chain(here(1), { attempts: 3, timeout: '1s', deadline: '2.5s' })).timeMs).toBe(2_500);
  });

  test('is unknown where nothing bounds a hop', () => {
    expect(path(chain(here(2), here(3))).timeMs).toBeUndefined();
  });

  test('of the checked service holds its waits', () => {
    const config: SpillwayConfig = {
      service: 's0',
      dependencies: { s1: { attempt: { timeout: '1s' }, retry: { attempts: 4 } } },
    };
    expect(path(chain({}), config).timeMs).toBe(4_700);
  });
});

describe('the finding about a graph', () => {
  test('warns of what is multiplied', () => {
    expect(
      ofRule('SW501', findAll({}, { graph: chain(ignoring(4), ignoring(4), ignoring(4)) })),
    ).toMatchObject({
      severity: 'warning',
      path: 's0 -> s1 -> s2 -> s3',
      message: 'One call of s0 can reach s3 4 x 4 x 4 = 64 times.',
      arithmetic: '4 x 4 x 4 = 64',
    });
    expect(
      ofRule('SW501', findAll({}, { graph: chain({ attempts: 4, spillway: false }, here(4), here(4)) })),
    ).toMatchObject({
      severity: 'warning',
      message: 'One call of s0 can reach s3 4 x 4 x 4 = 64 times, 16 with ownership.',
    });
  });

  test('tells what ownership saves', () => {
    expect(ofRule('SW501', findAll({}, { graph: chain(here(4), here(4), here(4)) }))).toMatchObject({
      severity: 'info',
      message: expect.stringContaining('(4 x 4 x 4 = 64), but with ownership s3 gets 4'),
    });
  });

  test('says nothing where one layer retries', () => {
    expect(ofRule('SW501', findAll({}, { graph: chain(here(1), here(4), here(1)) }))).toBeUndefined();
    expect(ofRule('SW501', findAll({}))).toBeUndefined();
  });
});

describe('circles', () => {
  const round: CallGraph = {
    services: {
      a: { calls: { b: here(2) } },
      b: { calls: { c: here(2), d: {} } },
      c: { calls: { a: here(2) } },
    },
  };

  test('are found once each, and told', () => {
    expect(graphCycles(round)).toEqual([['a', 'b', 'c', 'a']]);
    expect(graphCycles({ services: { a: { calls: { a: {} } } } })).toEqual([['a', 'a']]);
    expect(graphCycles(chain(here(1), here(1)))).toEqual([]);
    expect(ofRule('SW502', findAll({}, { graph: round }))).toMatchObject({
      severity: 'warning',
      path: 'a -> b -> c -> a',
    });
  });

  test('do not make paths endless', () => {
    const walked = paths(round);
    expect(walked.map(({ services }) => services.join(''))).toContain('abc');
    expect(walked.every(({ services }) => new Set(services).size === services.length)).toBe(true);
  });
});

test('a graph with very many paths is looked at for the first thousand', () => {
  const services = Object.fromEntries(
    Array.from({ length: 12 }, (_, level) =>
      ['a', 'b'].map((side) => [
        `${side}${level}`,
        { calls: { [`a${level + 1}`]: here(2), [`b${level + 1}`]: here(2) } },
      ]),
    ).flat(),
  ) as CallGraph['services'];
  expect(paths({ services })).toHaveLength(1_000);
});
