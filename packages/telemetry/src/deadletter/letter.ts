import type { EventOf, Sent, StopReason } from '@spillway/core';

/** What befell one attempt of an operation that gave up. */
export interface LetterAttempt {
  readonly attempt: number;
  /** A row of the outcome table. */
  readonly kind: string;
  readonly status?: number | undefined;
  readonly sent: Sent;
  readonly duration_ms: number;
}

/** One line of the file: an operation that gave up, without anything of what it carried. Times in ms. */
export interface DeadLetter {
  /** When it gave up, by the wall clock: ms since 1970. */
  readonly time: number;
  readonly service: string;
  readonly dependency: string;
  readonly operation: string;
  /** Identifies the operation within its process, as in logs and traces. */
  readonly operation_id: number;
  readonly outcome: 'failed' | 'refused' | 'degraded';
  readonly code?: string | undefined;
  readonly stopped?: StopReason | undefined;
  /** `maybe`: it may have taken effect. */
  readonly sent?: Sent | undefined;
  readonly method?: string | undefined;
  readonly origin?: string | undefined;
  /** Without ids, unless asked for. */
  readonly path?: string | undefined;
  readonly idempotency_key_hash?: string | undefined;
  readonly attempts: number;
  readonly max_total_attempts: number;
  readonly elapsed_total_ms: number;
  /** The first ten attempts that failed. */
  readonly failures: readonly LetterAttempt[];
}

/** Failures that one letter lists. */
export const MOST_FAILURES = 10;
/** Of texts that users make: a letter has a size of its own bounds. */
const LONGEST_TEXT = 200;

export type ShowPath = ((path: string) => string | undefined) | undefined;

export function letterOf(
  start: EventOf<'operation.start'>,
  end: EventOf<'operation.end'>,
  failures: readonly LetterAttempt[],
  from: { readonly service: string; readonly wall: number; readonly showPath: ShowPath },
): DeadLetter {
  const { subject } = start;
  const { path } = subject;
  const shown = path === undefined ? undefined : from.showPath?.(path);
  return {
    time: from.wall,
    service: short(from.service),
    dependency: short(end.dependency),
    operation: short(end.operation),
    operation_id: end.id,
    // the others do not come here
    outcome: end.outcome as DeadLetter['outcome'],
    code: end.code,
    stopped: end.stopped,
    sent: end.sent,
    method: subject.method === undefined ? undefined : short(subject.method),
    origin: subject.origin === undefined ? undefined : short(subject.origin),
    path: shown === undefined ? undefined : short(shown),
    idempotency_key_hash: subject.keyHash,
    attempts: end.attempts,
    max_total_attempts: subject.maxAttempts,
    elapsed_total_ms: rounded(end.durationMs),
    failures,
  };
}

export function letterAttempt({
  attempt,
  kind,
  status,
  sent,
  durationMs,
}: EventOf<'attempt.end'>): LetterAttempt {
  return { attempt, kind, status, sent, duration_ms: rounded(durationMs) };
}

function short(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}...` : text;
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
