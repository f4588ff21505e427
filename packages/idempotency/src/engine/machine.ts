/**
 * The life of one idempotency key, as pure functions: record and instant in, record and answer out. The memory and
 * SQLite stores run these; the Lua script of the Redis store and the SQL of the PostgreSQL store say the same in
 * their own words, and one conformance suite holds all four to it.
 *
 *     absent --begin--> running --complete--> completed --expires--> absent
 *                         |  \--release--> absent, or retryable when it has checkpoints
 *                         \--lease lapses--> claimable: the next begin gets a new token
 */
export type RecordState = 'running' | 'retryable' | 'completed';

/** Checkpoints by name; each value is JSON text. */
export type Checkpoints = Readonly<Record<string, string>>;

export interface KeyRecord {
  readonly state: RecordState;
  readonly fingerprint: string;
  /** Fencing token of the last owner: whoever holds another one can change nothing. */
  readonly token: string;
  /** Runs started so far. */
  readonly attempt: number;
  /** Until this instant the owner is taken to be alive. */
  readonly leaseUntil: number;
  readonly expiresAt: number;
  /** The stored answer; null while there is none, and for answers too large to keep. */
  readonly answer: string | null;
  readonly checkpoints: Checkpoints;
}

/** What a newcomer brings. Lengths in ms. */
export interface ClaimRequest {
  readonly fingerprint: string;
  /** Fresh for every claim. */
  readonly token: string;
  readonly leaseMs: number;
  /** Life of the record, from the claim on. */
  readonly ttlMs: number;
}

export type BeginResult =
  /** The newcomer owns the key. `recovered`: an earlier owner left it unfinished. */
  | {
      readonly kind: 'run';
      readonly attempt: number;
      readonly recovered: boolean;
      readonly checkpoints: Checkpoints;
    }
  /** `answer` null: completed, but the answer was too large to keep. */
  | { readonly kind: 'replay'; readonly answer: string | null }
  | { readonly kind: 'in-progress'; readonly leaseLeftMs: number }
  | { readonly kind: 'mismatch' };

export interface Step<R> {
  /** The record from now on; undefined: none. */
  readonly record: KeyRecord | undefined;
  readonly result: R;
}

const NO_CHECKPOINTS: Checkpoints = Object.freeze({});

/** The record as it counts at `now`: one past its expiry is none. */
export function alive(record: KeyRecord | undefined, now: number): KeyRecord | undefined {
  return record !== undefined && record.expiresAt > now ? record : undefined;
}

/** Decides what a newcomer may do. The payload is compared before the state (C-076). */
export function begin(stored: KeyRecord | undefined, claim: ClaimRequest, now: number): Step<BeginResult> {
  const record = alive(stored, now);
  if (record === undefined) return claimed(claim, 1, NO_CHECKPOINTS, now);
  if (record.fingerprint !== claim.fingerprint) return { record, result: { kind: 'mismatch' } };
  if (record.state === 'completed') return { record, result: { kind: 'replay', answer: record.answer } };
  if (record.state === 'running' && record.leaseUntil > now) {
    return { record, result: { kind: 'in-progress', leaseLeftMs: record.leaseUntil - now } };
  }
  return claimed(claim, record.attempt + 1, record.checkpoints, now);
}

function claimed(
  claim: ClaimRequest,
  attempt: number,
  checkpoints: Checkpoints,
  now: number,
): Step<BeginResult> {
  return {
    record: {
      state: 'running',
      fingerprint: claim.fingerprint,
      token: claim.token,
      attempt,
      leaseUntil: now + claim.leaseMs,
      expiresAt: now + Math.max(claim.ttlMs, claim.leaseMs),
      answer: null,
      checkpoints,
    },
    result: { kind: 'run', attempt, recovered: attempt > 1, checkpoints },
  };
}

/** The record if `token` owns it: running, and nobody took it over. A lapsed lease nobody claimed is still owned. */
function owned(stored: KeyRecord | undefined, token: string, now: number): KeyRecord | undefined {
  const record = alive(stored, now);
  return record?.state === 'running' && record.token === token ? record : undefined;
}

/** Extends the lease; false when the key has a new owner or none. */
export function renew(
  stored: KeyRecord | undefined,
  token: string,
  leaseMs: number,
  now: number,
): Step<boolean> {
  const record = owned(stored, token, now);
  if (record === undefined) return { record: stored, result: false };
  const leaseUntil = Math.max(record.leaseUntil, now + leaseMs);
  return {
    record: { ...record, leaseUntil, expiresAt: Math.max(record.expiresAt, leaseUntil) },
    result: true,
  };
}

/** Stores the answer, under the owner's token only. */
export function complete(
  stored: KeyRecord | undefined,
  token: string,
  answer: string | null,
  now: number,
): Step<boolean> {
  const record = owned(stored, token, now);
  if (record === undefined) return { record: stored, result: false };
  return { record: { ...record, state: 'completed', answer }, result: true };
}

/** Gives the key back unanswered: to nobody, or, when there are checkpoints, to the next one with the same payload. */
export function release(stored: KeyRecord | undefined, token: string, now: number): Step<boolean> {
  const record = owned(stored, token, now);
  if (record === undefined) return { record: stored, result: false };
  if (Object.keys(record.checkpoints).length === 0) return { record: undefined, result: true };
  return { record: { ...record, state: 'retryable', leaseUntil: now }, result: true };
}

/** Notes that a part of the work is done; the next run of this key finds the note (C-080). */
export function checkpoint(
  stored: KeyRecord | undefined,
  token: string,
  name: string,
  data: string,
  now: number,
): Step<boolean> {
  const record = owned(stored, token, now);
  if (record === undefined) return { record: stored, result: false };
  return { record: { ...record, checkpoints: { ...record.checkpoints, [name]: data } }, result: true };
}
