import { RetryBudget } from '../../src/algorithms/budget.js';
import type { ResolvedBudget } from '../../src/config/resolved.js';

const PLAIN: ResolvedBudget = {
  ratio: 0.2,
  windowMs: 10_000,
  minPerSecond: 0,
  concurrent: undefined,
  key: false,
  maxKeys: 1000,
  mode: 'enforce',
};

/** A budget of a fifth over 10 s, without floor, concurrent part and keys unless asked for. */
export function budget(options: Partial<ResolvedBudget> = {}): RetryBudget {
  return new RetryBudget({ ...PLAIN, ...options });
}
