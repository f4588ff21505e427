import type { MeasuredSpillway } from './source.js';

/** Is it a breaker's key of which we know what it is made of? Others may hold ids. */
export function isKnownKey({ config }: MeasuredSpillway, dependency: string, key: string): boolean {
  const breaker = config.dependencies.get(dependency)?.breaker;
  if (breaker === undefined) return false;
  return breaker.scope === 'origin' || (breaker.scope === 'dependency' && key === dependency);
}
