import { beforeAll, describe, expect, test } from '@jest/globals';
import { Batch } from './batch.js';
import { type Played, play } from './play.js';
import { budget } from './rules/budget.js';
import { cancellation } from './rules/cancellation.js';
import { generations } from './rules/generations.js';
import { idle } from './rules/idle.js';
import { refusals } from './rules/refusals.js';
import type { Rule } from './rules/rule.js';
import { settling } from './rules/settling.js';
import { timeLeft } from './rules/time-left.js';
import { units } from './rules/units.js';

const batch = new Batch();
const LONG_MS = 600_000;

beforeAll(() => batch.play(), LONG_MS);

const lines = (played: Played) => played.events.map((event) => JSON.stringify(event));

/** Where two plays of one script differ. */
function difference(one: Played, other: Played): string[] {
  const theirs = lines(other);
  const first = lines(one).findIndex((line, index) => line !== theirs[index]);
  if (first >= 0) return [`event ${first}: ${lines(one)[first]} or ${theirs[first]}`];
  if (theirs.length !== one.events.length) return [`${one.events.length} events or ${theirs.length}`];
  return one.results.join() === other.results.join() ? [] : ['results differ'];
}

const RULES: readonly [string, Rule][] = [
  ['a step never rejects, and a settled call leaves no timer, listener or queue place behind', settling],
  ['what begins ends once, and only running work holds units, never more than there are', units],
  ['a breaker opens by results of its present generation, and probes stay within their places', generations],
  ['refusals of our own are never failures, never retried, and spend no budget', refusals],
  ['nothing is scheduled that cannot fit, and the caller gets the original failure and why', timeLeft],
  ['at every grant, the retries of the window are within the budget', budget],
  ['cancellation reaches every waiter in the same turn, with its reason', cancellation],
  ['after an idle window neither breaker nor budget holds anything', idle],
];

describe('whatever happens', () => {
  test.each(RULES)('%s', (_, rule) => batch.expectAll(rule), LONG_MS);

  const again = async (played: Played) => difference(played, await play(played.script));

  test(
    'the same seed and script give the same events, line for line, whoever reads the state meanwhile',
    () => batch.expectEach(again),
    LONG_MS,
  );
});

describe('the scripts', () => {
  const has = (test: (event: Played['events'][number]) => boolean) =>
    batch.count(({ events }) => events.some(test)) / batch.runs;

  test('cancel, step the clock and come to half-open often enough to see anything', () => {
    const cancel = batch.count(({ seen }) => seen.some(({ cancelled }) => cancelled?.late === false));
    expect(cancel / batch.runs).toBeGreaterThan(0.1);
    const step = batch.count(
      ({ script, pauses }) => script.wallStep !== undefined && pauses.some(({ at }) => at > 750),
    );
    expect(step / batch.runs).toBeGreaterThan(0.05);
    expect(has((event) => event.type === 'breaker.transition' && event.to === 'half-open')).toBeGreaterThan(
      0.2,
    );
  });

  test('come to every wait, end and refusal', () => {
    const shares = {
      'retry.scheduled': 0.2,
      'bulkhead.queued': 0.05,
      'bulkhead.dequeued': 0.02,
      'bulkhead.refused': 0.1,
      'bulkhead.detached': 0.1,
      'breaker.refused': 0.2,
      'fallback.used': 0.3,
      'fallback.failed': 0.2,
      'attempt.wasted': 0.3,
    };
    for (const [type, share] of Object.entries(shares)) {
      expect([type, has((event) => event.type === type) > share]).toEqual([type, true]);
    }
    const asked = has((event) => event.type === 'retry.scheduled' && event.delayMs >= 1000);
    expect(asked).toBeGreaterThan(0.002);
    const stops = ['attempts', 'budget', 'deadline', 'breaker', 'bulkhead', 'not-idempotent', 'retry-after'];
    for (const stop of stops) {
      const share = has((event) => event.type === 'retry.stopped' && event.stopped === stop);
      expect([stop, share > 0.002]).toEqual([stop, true]);
    }
  });
});
