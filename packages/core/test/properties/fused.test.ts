import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SpillwayEvent } from '../../src/index.js';
import { RUNS } from '../runs.js';
import { play } from './play.js';
import { script } from './script.js';

/** 5,000 in CI: the differential of the two forms wants many scripts, and half a minute. */
const NUM_RUNS: number = process.env['CI'] || process.env['NIGHTLY'] ? 2.5 * RUNS.numRuns : RUNS.numRuns;

/** What given-up work does is a strand of its own beside what its operation does. */
const OF_WORK: ReadonlySet<string> = new Set(['attempt.wasted', 'bulkhead.reattached']);

/** Events in the order of their instants, and of one operation's strand in the order in which they came. */
function lines(events: readonly SpillwayEvent[]): string[] {
  return events
    .map((event, index) => ({
      event,
      index,
      id: 'id' in event ? event.id : 0,
      strand: OF_WORK.has(event.type) ? 1 : 0,
    }))
    .sort((a, b) => a.event.at - b.event.at || a.id - b.id || a.strand - b.strand || a.index - b.index)
    .map(({ event }) => JSON.stringify(event));
}

describe('the fused link', () => {
  test('gives the same events and results as the layers, for the same seed and script', async () => {
    const seen = { retries: 0, refusals: 0, queued: 0, cancelled: 0, scripts: 0 };
    await fc.assert(
      fc.asyncProperty(script, async (any) => {
        const scenario = { ...any, apart: true };
        const layered = await play(scenario, { link: 'layered' });
        const fused = await play(scenario);
        expect(fused.results).toEqual(layered.results);
        const [seenLines, wanted] = [lines(fused.events), lines(layered.events)];
        if (seenLines.join() !== wanted.join()) expect(seenLines).toEqual(wanted);
        // what nobody hears goes the same way; a look now and then is enough
        const isLook = seen.scripts % 8 === 0;
        const unheard = isLook ? await play(scenario, { observed: false }) : fused;
        expect(unheard.results).toEqual(layered.results);
        seen.scripts++;
        for (const { type } of layered.events) {
          if (type === 'retry.scheduled') seen.retries++;
          if (type === 'breaker.refused') seen.refusals++;
          if (type === 'bulkhead.queued') seen.queued++;
        }
        if (layered.results.some((result) => result.includes('cancelled'))) seen.cancelled++;
      }),
      { ...RUNS, numRuns: NUM_RUNS },
    );
    expect(seen.retries).toBeGreaterThan(seen.scripts / 4);
    expect(seen.refusals).toBeGreaterThan(seen.scripts / 4);
    expect(seen.queued).toBeGreaterThan(seen.scripts / 10);
    expect(seen.cancelled).toBeGreaterThan(seen.scripts / 10);
  }, 1_200_000);
});
