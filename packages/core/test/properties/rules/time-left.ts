import { isSpillwayError, type SpillwayEvent } from '../../../src/index.js';
import type { Played, Seen } from '../play.js';
import { ofType, type Placed, type Rule, strands } from './rule.js';

/** Sums of fractions are off by a hair. */
const HAIR_MS = 1e-6;

/** Nothing is scheduled that cannot finish before the deadline; the caller gets the original failure, with why we stopped. */
export const timeLeft: Rule = (played) => {
  const breaches: string[] = [];
  const byId = strands(played);
  for (const seen of played.seen) {
    const strand = byId.get(seen.id) ?? [];
    breaches.push(...schedules(played, seen, strand), ...failures(seen, strand));
  }
  return breaches;
};

function schedules(
  { options }: Played,
  { id, startedAt, operation }: Seen,
  strand: readonly Placed[],
): string[] {
  const breaches: string[] = [];
  const own = operation.deadlineMs ?? options.deadlineMs;
  const leftMs = Math.min(own + 1, (operation.parentMs ?? Number.POSITIVE_INFINITY) + 1);
  const late = operation.fallback === 'none' ? 0 : 1000;
  for (const { event } of strand) {
    if (event.type === 'operation.start' && event.deadlineMs >= leftMs)
      breaches.push(`operation ${id} got ${event.deadlineMs} of ${leftMs}`);
    if (event.type === 'operation.end' && event.durationMs >= leftMs + late)
      breaches.push(`operation ${id} took ${event.durationMs} of ${leftMs}`);
    if (event.type === 'attempt.start') breaches.push(...attempt(event, startedAt + leftMs));
    if (
      event.type === 'retry.scheduled' &&
      event.delayMs + options.attempt.minMs > event.remainingMs + HAIR_MS
    )
      breaches.push(`a retry of ${id} cannot fit: ${event.delayMs} of ${event.remainingMs}`);
  }
  return [
    ...breaches,
    ...askedWaits(
      strand,
      operation.moves.map((move) => move.askedSeconds),
    ),
  ];
}

function attempt(event: Extract<SpillwayEvent, { type: 'attempt.start' }>, until: number): string[] {
  const { id, at, timeoutMs, remainingMs } = event;
  const fits = timeoutMs <= remainingMs + HAIR_MS && at + timeoutMs < until;
  return fits ? [] : [`an attempt of ${id} got ${timeoutMs} of ${remainingMs}, ${until - at}`];
}

/** A retry never comes before the time that was asked for. */
function askedWaits(strand: readonly Placed[], asked: readonly number[]): string[] {
  const ends = ofType(strand, 'attempt.end').filter(({ event }) => event.kind === 'throttled');
  return ends.flatMap(({ event }) => {
    const next = strand.find(({ event: e }) => e.type === 'attempt.start' && e.attempt === event.attempt + 1);
    const seconds = asked[Math.min(event.attempt, asked.length) - 1] ?? 0;
    const early = next !== undefined && next.event.at - event.at < seconds * 1000 - HAIR_MS;
    return early
      ? [`attempt ${event.attempt + 1} of ${event.id} came ${next.event.at - event.at} after it`]
      : [];
  });
}

function failures({ id, error, thrown, result }: Seen, strand: readonly Placed[]): string[] {
  const made = ofType(strand, 'attempt.start').length;
  const end = ofType(strand, 'operation.end')[0]?.event;
  if (end?.attempts !== made) return [`operation ${id} counts ${end?.attempts} attempts of ${made}`];
  if (!isSpillwayError(error, 'ERR_UPSTREAM') || result.startsWith('ok')) return [];
  const { stopped, attempts, cause } = error;
  const original = thrown.includes(cause) || isTimeout(cause) || isAnswer(cause);
  if (!original) return [`operation ${id} failed by what nobody threw: ${String(cause)}`];
  if (stopped === undefined || attempts !== made)
    return [`operation ${id} stopped by ${stopped} at ${attempts}`];
  const told = ofType(strand, 'retry.stopped').map(({ event }) => event.stopped);
  return stopped === 'not-retryable' || told.includes(stopped) ? [] : [`operation ${id} stopped, ${told}`];
}

function isTimeout(cause: unknown): boolean {
  return isSpillwayError(cause, 'ERR_ATTEMPT_TIMEOUT') || isSpillwayError(cause, 'ERR_DEADLINE_EXCEEDED');
}

function isAnswer(cause: unknown): boolean {
  return (cause as { status?: unknown } | undefined)?.status === 429;
}
