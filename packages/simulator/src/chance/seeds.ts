/**
 * A seed of its own for each purpose (FNV-1a over its name), so that variants of a scenario see the same arrivals
 * and the same latencies as long as they ask for the same number of them.
 */
export function seedFor(seed: number, purpose: string): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < purpose.length; i++) {
    hash = Math.imul(hash ^ purpose.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash;
}
