import type { Limit } from './limit.js';

/** A limit that learns nothing. */
export function fixedLimit(limit: number): Limit {
  return { limit, onSample: learnNothing };
}

function learnNothing(): void {
  // a fixed limit takes no samples
}
