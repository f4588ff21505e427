import { expect } from '@jest/globals';
import fc from 'fast-check';
import { RUNS } from '../runs.js';
import { type Played, play } from './play.js';
import type { Rule } from './rules/rule.js';
import { type Script, script } from './script.js';

const SEED = RUNS.seed ?? Math.floor(Math.random() * 2 ** 31);

/** Somebody reads the state at each step, so that no rule holds only as long as nobody looks. */
const READING = { reads: true };

/**
 * One batch of random scripts, each played once, for all rules: playing costs far more than judging. Its seed is
 * told with each failure; SEED runs it again. `APART`: every rule plays them anew, inside its own test, so that
 * mutation testing sees which tests reach what.
 */
export class Batch {
  readonly runs: number = RUNS.numRuns;
  #played: readonly Played[] | undefined;

  /** All of them, played. */
  async all(): Promise<readonly Played[]> {
    if (this.#played !== undefined && process.env['APART'] === undefined) return this.#played;
    const played: Played[] = [];
    for (const one of fc.sample(script, { numRuns: this.runs, seed: SEED })) {
      played.push(await play(one, READING));
    }
    this.#played = played;
    return played;
  }

  /** Fails with the smallest script that breaks the rule. */
  async expectAll(rule: Rule): Promise<void> {
    const broken = (await this.all()).find((played) => rule(played).length > 0);
    if (broken !== undefined) await shrink(async (one) => rule(await play(one, READING)));
    expect({ seed: SEED, script: broken?.script, breaches: broken ? rule(broken) : [] }).toEqual({
      seed: SEED,
      script: undefined,
      breaches: [],
    });
  }

  /** The same for a rule that compares with another play of the same script. */
  async expectEach(breachesOf: (played: Played) => Promise<readonly string[]>): Promise<void> {
    for (const played of await this.all()) {
      const breaches = await breachesOf(played);
      if (breaches.length > 0) await shrink(async (one) => breachesOf(await play(one, READING)));
      if (breaches.length > 0) expect({ seed: SEED, breaches }).toEqual({ seed: SEED, breaches: [] });
    }
    expect(this.#played?.length).toBe(this.runs);
  }
}

/** The same seed gives the same scripts, and a counterexample that has been made small. */
async function shrink(breachesOf: (one: Script) => Promise<readonly string[]>): Promise<void> {
  if (RUNS.endOnFailure) return;
  const property = fc.asyncProperty(script, async (one) => {
    expect(await breachesOf(one)).toEqual([]);
  });
  await fc.assert(property, { numRuns: RUNS.numRuns, seed: SEED });
}
