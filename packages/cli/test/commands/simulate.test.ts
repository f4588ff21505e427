import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { Folder, spillway } from '../harness.js';

jest.setTimeout(60_000);

const folder = new Folder();
afterAll(() => folder.remove());

const scenario = {
  name: 'small',
  duration: '10s',
  services: {
    shop: { calls: ['quotes'], spillway: { dependencies: { quotes: {} } } },
    quotes: { faults: [{ kind: 'status', from: '2s', to: '4s' }] },
  },
  traffic: { users: { to: 'shop', arrivals: { rate: 20 } } },
};

describe('spillway simulate', () => {
  test('gives the four numbers of the preset outage as JSON', async () => {
    const { code, out } = await spillway(['simulate', 'outage', '--json']);
    const { variants } = JSON.parse(out);
    const numbers = ['none', 'perAttempt', 'aroundLoop', 'aroundLoopClosed'].map(
      (name) => variants[name].attempts,
    );
    expect([code, numbers, variants.none.medianFailedMs]).toEqual([0, [3890, 6, 304, 24], 700]);
  });

  test('prints a table of a scenario file', async () => {
    const { code, out, err } = await spillway(['simulate', folder.write('small.json', scenario)]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^small: no description$/m);
    expect(out).toMatch(/^only +200 /m);
    expect(out).toContain('shop.quotes');
  });

  test('reads TypeScript, and a trace that lies beside it', async () => {
    folder.write('trace.csv', 'at\n0\n100\n350\n');
    const traced = JSON.stringify({
      ...scenario,
      traffic: { users: { to: 'shop', arrivals: { trace: 'trace.csv' } } },
    });
    const path = folder.write('traced.ts', `const scenario: object = ${traced};\nexport default scenario;`);
    const { code, out } = await spillway(['simulate', path, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out).variants.only.traffic.users.requests).toBe(3);
  });

  test('runs another seed, and every combination of what is varied', async () => {
    const path = folder.write('small.json', scenario);
    const args = [
      'simulate',
      path,
      '--json',
      '--seed',
      '7',
      '--vary',
      'shop.quotes.retry.attempts=1,3',
      '--vary',
      'shop.quotes.breaker=false',
    ];
    const { seed, variants } = JSON.parse((await spillway(args)).out);
    expect(seed).toBe(7);
    expect(Object.keys(variants)).toEqual([
      'shop.quotes.retry.attempts=1 shop.quotes.breaker=false',
      'shop.quotes.retry.attempts=3 shop.quotes.breaker=false',
    ]);
    const [once, thrice] = Object.values(variants) as [{ attempts: number }, { attempts: number }];
    expect(thrice.attempts).toBeGreaterThan(once.attempts);
  });

  test('ends with 1 when an expectation fails, and says what was found', async () => {
    const path = folder.write('expecting.json', {
      ...scenario,
      expect: ['amplification < 5', 'goodShare = 100%'],
    });
    const { code, out } = await spillway(['simulate', path]);
    expect(code).toBe(1);
    expect(out).toMatch(/^holds {2}amplification < 5$/m);
    expect(out).toMatch(/^FAILS {2}goodShare = 100%, found 0\.\d+$/m);
  });

  test('writes a page that holds everything it shows', async () => {
    const page = join(folder.path, 'report.html');
    const { err } = await spillway(['simulate', folder.write('small.json', scenario), '--html', page]);
    expect(err).toBe(`${page} written\n`);
    expect(existsSync(page)).toBe(true);
    expect(readFileSync(page, 'utf8')).toContain('uPlot');
  });

  test('shows a bar on long runs where somebody looks, and clears it', async () => {
    const long = folder.write('long.json', { ...scenario, duration: '500s' });
    const { err } = await spillway(['simulate', long], { interactive: true });
    const shown = [...err.matchAll(/(\d+) % {2}only \(1 of 1\)/g)].map(([, percent]) => Number(percent));
    expect(shown.length).toBeGreaterThan(3);
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    expect(err.endsWith('\r')).toBe(true);
  });

  test('prints what was simulated so far when it is interrupted', async () => {
    const long = folder.write('long.json', { ...scenario, duration: '100000s' });
    const { code, out } = await spillway(['simulate', long], { interrupt: true });
    expect(code).toBe(1);
    expect(out).toContain('stopped: this is what was simulated so far');
    expect(out).toMatch(/^only +\d/m);
  });

  test.each([
    [
      'an unknown preset',
      ['simulate', 'outrage'],
      "'outrage' is no preset: outage, layers, slow, storm, rollout",
    ],
    ['a missing file', ['simulate', './none.ts'], 'there is no such file'],
    ['a wrong seed', ['simulate', 'outage', '--seed', 'x'], "--seed is 'x'"],
    ['a wrong variation', ['simulate', 'outage', '--vary', 'attempts'], 'Give a path and its values'],
    ['a variation of nothing', ['simulate', 'outage', '--vary', 'shup.latency=3'], "vary is 'shup.latency'"],
    [
      'a varied option out of range',
      ['simulate', 'outage', '--vary', 'shop.quotes.retry.attempts=0'],
      'services.shop.spillway.dependencies.quotes.retry.attempts is 0. Give a whole number from 1 to 100',
    ],
    ['a page nowhere', ['simulate', 'layers', '--html', '/nowhere/at/all.html'], 'cannot be written'],
  ])('ends with 2 and one message, never a stack, for %s', async (_, args, words) => {
    const { code, out, err } = await spillway(args);
    // nothing on standard output: it is told before a run that may take long
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test('refuses a scenario file by path, value and range', async () => {
    const { code, out, err } = await spillway([
      'simulate',
      folder.write('wrong.json', { ...scenario, duration: 'long', extra: 1 }),
    ]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain("duration is 'long'. Give a duration of at least 1 ms");
    expect(err).toContain('extra is no option');
  });
});
