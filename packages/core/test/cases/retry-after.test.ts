import { describe, expect, test } from '@jest/globals';
import { type DependencyConfig, type Random, seededRandom } from '../../src/index.js';
import { VIRTUAL_EPOCH_MS } from '../../src/time/virtual-clock.js';
import { errorOf, type Single, single } from './support/single.js';

const NEVER_EARLY = () => 0;

/** A dependency whose retries wait 400 ms by themselves. */
function asked(policy: DependencyConfig['retry'] & object = {}, random: Random = NEVER_EARLY): Single {
  const backoff = { base: '400ms', factor: 1, cap: '400ms', jitter: 'none' } as const;
  const retry = { attempts: 2, backoff, budget: false, ...policy } as const;
  return single({ breaker: false, bulkhead: false, deadline: '2m', retry }, random);
}

/** Answers 503 with this Retry-After, then 200; resolves with the wait between, or with why there was none. */
async function waitAfter({ clock, dep }: Single, header: string): Promise<number | string> {
  const at: number[] = [];
  const done = dep.settle(
    async () => {
      at.push(clock.now());
      const isFirst = at.length === 1;
      return new Response(null, isFirst ? { status: 503, headers: { 'retry-after': header } } : {});
    },
    { idempotent: true },
  );
  await clock.runToIdle();
  const outcome = await done;
  if (!outcome.ok) return errorOf(outcome).stopped ?? 'not stopped';
  return (at[1] ?? Number.NaN) - (at[0] ?? Number.NaN);
}

function httpDates(at: Date): readonly string[] {
  const [day, date, month, year, time] = at.toUTCString().replace(',', '').split(' ') as [
    string,
    string,
    string,
    string,
    string,
  ];
  const long = at.toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' });
  return [
    at.toUTCString(),
    `${long}, ${date}-${month}-${year.slice(2)} ${time} GMT`,
    `${day} ${month} ${String(Number(date)).padStart(2, ' ')} ${time} ${year}`,
  ];
}

describe('a wait that the dependency asks for', () => {
  test('C-050 may be a date, in each of its three forms', async () => {
    const dates = httpDates(new Date(VIRTUAL_EPOCH_MS + 5000));
    expect(dates).toEqual([
      'Thu, 01 Jan 2026 00:00:05 GMT',
      'Thursday, 01-Jan-26 00:00:05 GMT',
      'Thu Jan  1 00:00:05 2026',
    ]);
    for (const date of dates) expect(await waitAfter(asked(), date)).toBe(5000);

    const behind = asked({ maxRetryAfter: '30s' });
    behind.clock.shiftWall(-3_600_000);
    expect(await waitAfter(behind, dates[0] as string)).toBe('retry-after');
  });

  test('C-052 that cannot be read is none', async () => {
    for (const header of ['soon', '', '12abc', 'Thu, 99 Foo', '5, 10', '-5', '1e3', 'NaN', '0x10']) {
      expect([header, await waitAfter(asked(), header)]).toEqual([header, 400]);
    }
    expect(await waitAfter(asked(), '5')).toBe(5000);
  });

  test('C-053 that is past already leaves the ordinary back-off', async () => {
    const hourAgo = new Date(VIRTUAL_EPOCH_MS - 3_600_000).toUTCString();
    expect(await waitAfter(asked(), hourAgo)).toBe(400);
  });

  test('C-055 is spread upwards only', async () => {
    expect(await waitAfter(asked(), '1')).toBe(1000);
    const latest = (await waitAfter(
      asked({}, () => 0.999999),
      '1',
    )) as number;
    expect(latest).toBeGreaterThan(1000);
    expect(latest).toBeLessThanOrEqual(1100);

    const random = seededRandom(7);
    const waits: number[] = [];
    for (let client = 0; client < 100; client++)
      waits.push((await waitAfter(asked({}, random), '1')) as number);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1100);
    expect(new Set(waits.map(Math.floor)).size).toBeGreaterThan(40);
  });
});
