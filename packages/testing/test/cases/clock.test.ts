import { describe, expect, test } from '@jest/globals';
import { createSpillway, type SpillwayEvent, seededRandom } from '@spillway/core';
import { type ManualClock, manualClock, scriptedTransport } from '@spillway/testing';

const VIRTUAL_SECONDS = 10_000;

/** Work that takes as long as it says, unless it is given up. */
function taking(clock: ManualClock, random: () => number) {
  const transport = scriptedTransport(
    () => {
      const luck = random();
      if (luck < 0.1) return { hang: true };
      return { status: luck < 0.45 ? 503 : 200, latency: 10 + 900 * random() };
    },
    { clock },
  );
  return ({ signal, timeoutMs, number }: { signal: AbortSignal; timeoutMs: number; number: number }) =>
    transport({
      dependency: 'quotes',
      method: 'GET',
      url: 'http://quotes.test/',
      headers: {},
      body: undefined,
      attempt: number,
      timeoutMs,
      signal,
    }).then(({ status }) => {
      if (status !== 200) throw new Error('down');
    });
}

/** Ten thousand seconds of calls against a flaky dependency; every event, one a line. */
async function simulate(seed: number): Promise<string[]> {
  const clock = manualClock();
  const random = seededRandom(seed);
  const lines: string[] = [];
  const observers = [(event: SpillwayEvent) => void lines.push(JSON.stringify(event))];
  const policy = {
    deadline: '5s',
    attempt: { timeout: '700ms' },
    breaker: { window: '60s', minCalls: 10, failureRate: 0.7, openFor: '5s' },
    bulkhead: { concurrent: 2, queue: 3, wait: '400ms' },
  } as const;
  const spillway = createSpillway({ dependencies: { quotes: policy } }, { clock, random, observers });
  const dep = spillway.dependency('quotes');
  const work = taking(clock, random);
  for (let second = 0; second < VIRTUAL_SECONDS; second += 20) {
    for (let call = 0; call < 4; call++) void dep.settle(work, { idempotent: true });
    await clock.advanceTo((second + 20) * 1000);
  }
  await clock.runToIdle();
  return lines;
}

describe('a clock that is moved by hand', () => {
  test('C-089 moves everything: hours pass in a moment, and the same seed tells the same story', async () => {
    const began = process.cpuUsage();
    const first = await simulate(7);
    const cpuMs = process.cpuUsage(began).user / 1000;
    expect(await simulate(7)).toEqual(first);
    expect(await simulate(7)).toEqual(first);
    expect(await simulate(8)).not.toEqual(first);
    expect(cpuMs).toBeLessThan(2000);
    const told = (part: string) => first.filter((line) => line.includes(part)).length;
    expect(Number(/"at":([\d.]+)/.exec(first.at(-1) as string)?.[1])).toBeGreaterThan(9_900_000);
    for (const part of ['"timeout"', 'retry.scheduled', 'breaker.transition', 'bulkhead.queued']) {
      expect([part, told(part) > 10]).toEqual([part, true]);
    }
  }, 60_000);
});
