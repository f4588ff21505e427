import { describe, expect, jest, test } from '@jest/globals';
import { PRESETS, type Scenario, type SimulationReport, simulate } from '../../src/index.js';

const LONG_MS = 120_000;
const reports = new Map<string, Promise<SimulationReport>>();

/** Each preset runs once. */
function runPreset(name: string): Promise<SimulationReport> {
  const report = reports.get(name) ?? simulate(PRESETS[name] as Scenario);
  reports.set(name, report);
  return report;
}

jest.setTimeout(LONG_MS);

describe('the preset outage', () => {
  test('gives the arithmetic of ten seconds without a dependency, to the number', async () => {
    const { variants } = await runPreset('outage');
    const counts = Object.entries(variants).map(([name, { attempts }]) => [name, attempts]);
    expect(Object.fromEntries(counts)).toEqual({
      none: 3890,
      perAttempt: 6,
      aroundLoop: 304,
      aroundLoopClosed: 24,
    });
    expect(variants['none']?.medianFailedMs).toBe(700);
    expect(variants['none']?.dependencies['shop.quotes']?.latency).toMatchObject({
      count: 930,
      p50Ms: 700,
      maxMs: 700,
    });
    expect(variants['perAttempt']?.medianFailedMs).toBe(0);
    expect(variants['perAttempt']?.operations).toBe(1000);
  });

  test('shows the breaker opening, probing and closing at its instants', async () => {
    const { variants } = await runPreset('outage');
    const { transitions } = variants['perAttempt']?.dependencies['shop.quotes']?.breaker ?? {
      transitions: [],
    };
    expect(transitions.map(({ atMs, to }) => [atMs, to])).toEqual([
      [5040, 'open'],
      [10_040, 'half-open'],
      [10_040, 'open'],
      [15_040, 'half-open'],
      [15_045, 'closed'],
    ]);
  });

  test('sees all requests answered well before and after', async () => {
    const { variants } = await runPreset('outage');
    for (const { timeline, troubleFromMs, troubleToMs } of Object.values(variants)) {
      expect([troubleFromMs, troubleToMs]).toEqual([5000, 15_000]);
      const bad = timeline.traffic['users']?.bad ?? [];
      expect(bad.filter((_, i) => (timeline.atMs[i] ?? 0) <= 5000).every((count) => count === 0)).toBe(true);
      expect(bad.at(-1)).toBe(0);
    }
  });
});

test('the preset layers multiplies attempts, and with ownership does not', async () => {
  const { variants } = await runPreset('layers');
  expect(Object.entries(variants).map(([name, { attempts }]) => [name, attempts])).toEqual([
    ['threeOfFour', 64],
    ['threeOfThree', 27],
    ['fourOfThree', 81],
    ['appAndMesh', 9],
    ['appAndMeshTwice', 81],
    ['threeOfFourOwned', 4],
    ['threeOfThreeOwned', 3],
    ['fourOfThreeOwned', 3],
  ]);
});

test('the preset storm stays without a retry budget, and passes with one', async () => {
  const { variants } = await runPreset('storm');
  expect(variants['withoutBudget']?.recoveryMs).toBeNull();
  expect(variants['withoutBudget']?.timeline.traffic['users']?.good.at(-10)).toBeLessThan(20);
  expect(variants['withBudget']?.recoveryMs).toBeLessThan(30_000);
  expect(variants['withBudget']?.amplification).toBeLessThan(1.2 + 0.05);
  expect(variants['withoutBudget']?.wasted.count).toBeGreaterThan(
    5 * (variants['withBudget']?.wasted.count ?? 0),
  );
});

test('the preset slow holds as many places as Little says, unless a timeout bounds them', async () => {
  const { variants } = await runPreset('slow');
  const most = (name: string) => variants[name]?.dependencies['shop.quotes']?.maxInFlight ?? 0;
  // 50/s for 4 s and more
  expect(most('unbounded')).toBeGreaterThan(200);
  // 50/s for 180 ms: 9, and what comes by chance
  expect(most('timeout')).toBeLessThan(30);
  expect(variants['standard']?.goodShare).toBeGreaterThan(0.999);
});

test.each(Object.keys(PRESETS))('every expectation of the preset %s holds', async (name) => {
  const { expectations, complete } = await runPreset(name);
  expect(complete).toBe(true);
  expect(expectations.length).toBeGreaterThan(1);
  expect(expectations.filter(({ holds }) => !holds)).toEqual([]);
});
