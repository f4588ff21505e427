import type { ResolvedLimit } from '../config/resolved.js';
import type { Random } from '../time/random.js';
import type { Ceiling, CeilingRuntime } from './ceiling.js';
import { LatencyCeiling, limitOf } from './latency-ceiling.js';
import { LoopCeiling } from './loop-ceiling.js';

/** The ceiling of a configured limit. */
export function ceilingOf(limit: ResolvedLimit, random: Random, rt: CeilingRuntime): Ceiling {
  if (limit.kind === 'loop') return new LoopCeiling(limit, rt);
  return new LatencyCeiling(limitOf(limit, random), rt.crowd);
}
