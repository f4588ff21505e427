import { describe, expect, test } from '@jest/globals';
import type { SpillwayEvent } from '../../src/index.js';
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
  test('cancel, step the clock, come to half-open and to every wait, end and refusal often enough', async () => {
    const all = await batch.all();
    const share = (did: (played: Played) => boolean) => all.filter(did).length / all.length;
    const shareOf = (did: (event: SpillwayEvent) => boolean) => share(({ events }) => events.some(did));
    const shares: Readonly<Record<string, number>> = {
      cancel: share(({ seen }) => seen.some(({ cancelled }) => cancelled?.late === false)),
      step: share(({ script, pauses }) => script.wallStep !== undefined && pauses.some(({ at }) => at > 750)),
      'half-open': shareOf((event) => event.type === 'breaker.transition' && event.to === 'half-open'),
      'asked for a second': shareOf((event) => event.type === 'retry.scheduled' && event.delayMs >= 1000),
      ...Object.fromEntries(TYPES.map((type) => [type, shareOf((event) => event.type === type)])),
      ...Object.fromEntries(STOPS.map((stopped) => [stopped, shareOf(isStop(stopped))])),
    };
    const blind = Object.entries(LEAST).filter(([what, least]) => !((shares[what] ?? 0) > least));
    expect({ blind, shares }).toEqual({ blind: [], shares });
  });
});

const isStop = (stopped: string) => (event: SpillwayEvent) =>
  event.type === 'retry.stopped' && event.stopped === stopped;

const TYPES = [
  'retry.scheduled',
  'bulkhead.queued',
  'bulkhead.dequeued',
  'bulkhead.refused',
  'bulkhead.detached',
  'breaker.refused',
  'fallback.used',
  'fallback.failed',
  'attempt.wasted',
];

const STOPS = ['attempts', 'budget', 'deadline', 'breaker', 'bulkhead', 'not-idempotent', 'retry-after'];

/** Shares of the scripts below which the rules would see too little. */
const LEAST: Readonly<Record<string, number>> = {
  cancel: 0.1,
  step: 0.05,
  'half-open': 0.2,
  'asked for a second': 0.002,
  'retry.scheduled': 0.2,
  'bulkhead.queued': 0.05,
  'bulkhead.dequeued': 0.02,
  'bulkhead.refused': 0.1,
  'bulkhead.detached': 0.1,
  'breaker.refused': 0.15,
  'fallback.used': 0.3,
  'fallback.failed': 0.2,
  'attempt.wasted': 0.3,
  attempts: 0.1,
  budget: 0.02,
  deadline: 0.02,
  breaker: 0.05,
  bulkhead: 0.01,
  'not-idempotent': 0.1,
  'retry-after': 0.01,
};
