import { afterAll, describe, expect, test } from '@jest/globals';
import { Folder, spillway } from '../harness.js';

const folder = new Folder();
afterAll(() => folder.remove());

const dangerous = {
  service: 'gateway',
  dependencies: {
    orders: {
      deadline: false,
      attempt: { timeout: '5s' },
      retry: { attempts: 4, backoff: { base: 0, jitter: 'none' }, budget: false, owner: 'ignore' },
      breaker: { observes: 'operations' },
    },
  },
  declared: {
    production: true,
    traffic: { orders: { rate: 50, p50: '40ms', p99: '120ms', methods: ['POST'] } },
    graph: {
      services: {
        client: { calls: { gateway: { attempts: 4, owner: 'ignore' } } },
        gateway: { calls: { orders: {} } },
        orders: { calls: { database: { attempts: 4, owner: 'ignore' } } },
        database: {},
      },
    },
  },
};

const defensible = {
  service: 'gateway',
  dependencies: {
    orders: {
      deadline: '2s',
      attempt: { timeout: '400ms' },
      retry: { attempts: 2 },
      breaker: { slow: { over: '200ms' }, minCalls: 20 },
      bulkhead: { concurrent: 50 },
    },
  },
  declared: { traffic: { orders: { rate: 50, p50: '40ms', p99: '120ms', methods: ['POST'], keyed: true } } },
};

const contradiction = { dependencies: { quotes: { deadline: '1s', attempt: { timeout: '4s' } } } };

describe('spillway check', () => {
  test('finds what is dangerous, with the arithmetic of each dependency and path', async () => {
    const { code, out, err } = await spillway(['check', folder.write('dangerous.json', dangerous)]);
    expect([code, err]).toEqual([0, '']);
    for (const words of [
      'no deadline',
      'idempotency key',
      'jitter',
      'budget',
      '4 x 4 x 4 = 64',
      '50/s x 5 s = 250',
    ]) {
      expect(out.toLowerCase()).toContain(words.toLowerCase());
    }
    expect(out).toContain('client -> gateway -> orders -> database');
    expect(out).toMatch(/0 errors, \d+ warnings/);
    expect(
      (await spillway(['check', folder.write('dangerous.json', dangerous), '--fail-on', 'warning'])).code,
    ).toBe(1);
  });

  test('has nothing above a hint to say about what is defensible', async () => {
    const path = folder.write('defensible.json', defensible);
    const { code, out } = await spillway(['check', path, '--fail-on', 'warning']);
    expect(code).toBe(0);
    expect(out).not.toMatch(/^(?:error|warning) {2}/m);
    expect(out).toContain('Worst case of one operation');
  });

  test('ends with 1 for an option that can never take effect', async () => {
    const { code, out } = await spillway(['check', folder.write('c.json', contradiction)]);
    expect(code).toBe(1);
    expect(out).toMatch(/^error {4}SW001 {2}dependencies\.quotes\.attempt\.timeout/m);
  });

  test('prints JSON with findings and worst cases', async () => {
    const { out } = await spillway(['check', folder.write('dangerous.json', dangerous), '--json']);
    const report = JSON.parse(out);
    expect(report.findings.map(({ id }: { id: string }) => id)).toContain('SW501');
    expect(report.worstCases.paths[0]).toMatchObject({ product: 64, arithmetic: '4 x 4 x 4 = 64' });
    expect(report.worstCases.dependencies[0]).toMatchObject({
      dependency: 'orders',
      attempts: 4,
      units: 250,
    });
  });

  test.each([
    [['a', 'b', 'c'], { attempts: 4, owner: 'ignore' }, 64, '4 x 4 x 4 = 64'],
    [['a', 'b', 'c'], { attempts: 3, owner: 'ignore' }, 27, '3 x 3 x 3 = 27'],
    [['a', 'b', 'c', 'd'], { attempts: 3, owner: 'ignore' }, 81, '3 x 3 x 3 x 3 = 81'],
    [['a', 'b', 'c'], { attempts: 4 }, 4, '4 x 4 x 4 = 64'],
    [['a', 'b', 'c'], { attempts: 3 }, 3, '3 x 3 x 3 = 27'],
    [['a'], { attempts: 3, meshAttempts: 3 }, 9, 'app 3 x mesh 3 = 9'],
    [
      ['a', 'b'],
      { attempts: 3, meshAttempts: 3, owner: 'ignore' },
      81,
      'app 3 x mesh 3 x app 3 x mesh 3 = 81',
    ],
  ])('prints the products of the layers %j, each %j', async (names, call, attempts, arithmetic) => {
    const chain = [...names, 'database'];
    const services = Object.fromEntries(
      chain.map((name, i) => [name, i < names.length ? { calls: { [chain[i + 1] as string]: call } } : {}]),
    );
    const path = folder.write('graph.json', { declared: { graph: { services } } });
    const { paths } = JSON.parse((await spillway(['check', path, '--json'])).out).worstCases;
    expect(paths).toHaveLength(1);
    expect(paths[0]).toMatchObject({ attempts, arithmetic });
    const { out } = await spillway(['check', path]);
    expect(out).toContain(`${chain.join(' -> ')}`);
    expect(out).toContain(arithmetic);
  });

  test('prints SARIF that points at the line of each option', async () => {
    const path = folder.write('c.json', contradiction);
    const { code, out } = await spillway(['check', path, '--format', 'sarif']);
    const { version, runs } = JSON.parse(out);
    expect([code, version]).toEqual([1, '2.1.0']);
    const [{ tool, results }] = runs;
    expect(tool.driver.name).toBe('spillway');
    const [first] = results;
    expect(first).toMatchObject({ ruleId: 'SW001', level: 'error' });
    expect(tool.driver.rules[first.ruleIndex].id).toBe('SW001');
    const { artifactLocation, region } = first.locations[0].physicalLocation;
    expect([artifactLocation.uri, region.startLine]).toEqual([path, 6]);
  });

  test('reads TypeScript, with what it declares beside the configuration', async () => {
    const path = folder.write(
      'config.ts',
      `interface Times { readonly deadline: string }
       const times: Times = { deadline: '2s' };
       export const declared = { traffic: { quotes: { rate: '10000/min', failing: 0.08 } } };
       export default { dependencies: { quotes: { ...times, attempt: { timeout: '500ms' } } } };`,
    );
    const { code, out } = await spillway(['check', path]);
    expect(code).toBe(0);
    expect(out).toContain('quotes');
    expect(out).toContain('166.667/s');
  });

  test('reads modules of the older kind', async () => {
    const path = folder.write(
      'config.cjs',
      "module.exports = { dependencies: { quotes: { deadline: '2s' } } };",
    );
    const { code, out } = await spillway(['check', path]);
    expect(code).toBe(0);
    expect(out).toMatch(/quotes +3 +2 s/);
  });

  test('takes declarations from a file of their own', async () => {
    const path = folder.write('plain.json', { dependencies: { quotes: {} } });
    const declare = folder.write('declared.json', { traffic: { quotes: { rate: 50 } } });
    const { out } = await spillway(['check', path, '--declare', declare]);
    expect(out).toContain('50/s x 3 s = 150');
  });

  test('explains a rule by its id', async () => {
    const { code, out } = await spillway(['check', '--explain', 'SW004']);
    expect(code).toBe(0);
    expect(out).toMatch(/^SW004 /);
    expect(out).toContain("ignore: [{ id: 'SW004'");
  });

  test.each([
    ['no such file', () => ['check', 'nowhere.json'], 'there is no such file'],
    ['no JSON', () => ['check', folder.write('broken.json', '{ "a": }')], 'is no JSON'],
    [
      'a module that throws',
      () => ['check', folder.write('throws.ts', "throw new Error('not today');")],
      'not today',
    ],
    [
      'a module with an export that throws when it is read',
      () => [
        'check',
        folder.write(
          'getter.cjs',
          "Object.defineProperty(exports, 'config', { enumerable: true, get() { throw new Error('not now'); } });",
        ),
      ],
      'not now',
    ],
    [
      'a module with a wrong syntax',
      () => ['check', folder.write('syntax.ts', 'export default {{{')],
      'cannot be loaded',
    ],
    [
      'a module without a default',
      () => ['check', folder.write('empty.ts', 'export const x = 1;')],
      'export the configuration',
    ],
    ['a picture', () => ['check', folder.write('a.png', 'x')], 'give a .ts'],
    [
      'a wrong option',
      () => ['check', folder.write('w.json', { dependencies: { a: { retry: { attempts: 0 } } } })],
      'dependencies.a.retry.attempts is 0. Give a whole number from 1 to 100',
    ],
    [
      'a wrong declaration',
      () => ['check', folder.write('d.json', { declared: { traffic: { a: { rate: -1 } } } })],
      'traffic.a.rate',
    ],
    ['no rule', () => ['check', '--explain', 'SW999'], 'no rule'],
    ['nothing to check', () => ['check'], 'Give the configuration'],
    ['an unknown flag', () => ['check', '--loud'], 'unknown option'],
    ['an unknown command', () => ['chekc'], 'unknown command'],
    ['a wrong format', () => ['check', 'x.json', '--format', 'xml'], 'Allowed choices'],
  ])('ends with 2 and one message, never a stack, for %s', async (_, args, words) => {
    const { code, out, err } = await spillway(args());
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
    expect(err).not.toMatch(/^\s+at /m);
  });
});
