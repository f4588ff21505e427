/** A source of numbers in [0, 1). The only chance in Spillway: jitter and probabilistic shedding draw from it. */
export type Random = () => number;

/**
 * A seeded generator (mulberry32): the same seed gives the same numbers on every machine.
 * @param seed any number; its lower 32 bits count
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
