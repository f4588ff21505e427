import { spillwayError } from '../call/errors.js';
import type { BreakerStateName } from '../telemetry/events.js';

/** A breaker's state as it can be stored as JSON and restored by another process. Instants are wall time in ms. */
export interface SavedBreaker {
  readonly version: 1;
  readonly state: BreakerStateName;
  /** When it entered that state. */
  readonly since: number;
  /** Until when it is open; null in any other state. */
  readonly openUntil: number | null;
  /** Openings since it last was closed for a full window: the open time doubles with each. */
  readonly openings: number;
}

const STATES: ReadonlySet<unknown> = new Set<BreakerStateName>([
  'closed',
  'open',
  'half-open',
  'forced-open',
  'disabled',
]);

/**
 * Reads what a store gave back.
 * @throws ERR_CONFIG when it is no snapshot of a breaker
 */
export function readSavedBreaker(saved: unknown): SavedBreaker {
  if (typeof saved !== 'object' || saved === null)
    throw notSaved('value', saved, 'an object made by export()');
  const snapshot = saved as Partial<Record<keyof SavedBreaker, unknown>>;
  const { version, state, since, openUntil, openings } = snapshot;
  if (version !== 1) throw notSaved('version', version, '1');
  if (!STATES.has(state)) throw notSaved('state', state, [...STATES].join(', '));
  if (!Number.isFinite(since)) throw notSaved('since', since, 'wall time in ms');
  if (!Number.isFinite(openUntil) && (openUntil !== null || state === 'open')) {
    throw notSaved('openUntil', openUntil, 'wall time in ms, or null unless open');
  }
  if (!Number.isSafeInteger(openings) || (openings as number) < 0) {
    throw notSaved('openings', openings, 'a whole number, 0 or more');
  }
  return saved as SavedBreaker;
}

function notSaved(member: string, value: unknown, allowed: string): Error {
  const shown = JSON.stringify(value) ?? String(value);
  return spillwayError(
    'ERR_CONFIG',
    `restore(): ${member} of the saved breaker is ${shown}; expected ${allowed}. Pass what export() returned.`,
  );
}
