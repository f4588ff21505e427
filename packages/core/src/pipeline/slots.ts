import type { Policy } from './policy.js';

/**
 * The standard policies from the outside in. The order is fixed because changing it changes what each policy sees:
 * retry outside the breaker, so that every attempt asks it; the attempt timeout inside, so that it bounds one try.
 */
export const SLOTS = ['fallback', 'deadline', 'retry', 'bulkhead', 'breaker', 'attempt'] as const;
export type Slot = (typeof SLOTS)[number];

/** A custom policy and where it stands: just outside that slot. */
export interface PlacedPolicy {
  readonly policy: Policy<unknown>;
  readonly before: Slot;
}
