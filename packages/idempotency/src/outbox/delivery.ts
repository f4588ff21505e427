import { type AttemptContext, isRefusal, isSpillwayError } from '@spillway/core';
import type { OutboxRequest, OutboxWrite, Settlement } from './outbox-store.js';
import type { Schedule } from './schedule.js';

/** An answer as far as an outbox cares: fetch's Response is one. */
export interface DeliveryAnswer {
  readonly status: number;
}

/**
 * Sends a write. Gets the write and the attempt whose `signal` bounds it; answers with what the dependency answered,
 * and throws when it did not.
 */
export type Deliver = (write: OutboxWrite, attempt: AttemptContext) => Promise<DeliveryAnswer>;

/** Answers that another attempt may change. */
const NOT_FINAL: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** The write was not carried out: it is wanted elsewhere, with method and body as they are (RFC 9110, 15.4). */
const ELSEWHERE: ReadonlySet<number> = new Set([301, 307, 308]);

/** Sends by fetch to a path under `baseUrl`, with its key as a structured string. */
export function fetchDelivery(baseUrlOf: (dependency: string) => string | undefined): Deliver {
  return async (write, attempt) => {
    const base = baseUrlOf(write.dependency);
    if (base === undefined)
      throw new TypeError(`outbox: the dependency '${write.dependency}' has no baseUrl`);
    const { method, headers, body } = write.request;
    const response = await fetch(urlOf(base, write.request), {
      method,
      headers: { ...headers, 'idempotency-key': quoted(write.key) },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: attempt.signal,
    });
    await response.body?.cancel();
    return response;
  };
}

function urlOf(base: string, { path }: OutboxRequest): string {
  return `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}

function quoted(key: string): string {
  return `"${key.replace(/[\\"]/g, '\\$&')}"`;
}

/** What an answer means: delivered, refused for good, or worth another attempt. */
export function settlementOf(
  status: number,
  write: OutboxWrite,
  most: number,
  schedule: Schedule,
): Settlement {
  if (status < 400 && !ELSEWHERE.has(status)) return { kind: 'done', status };
  const error = `the dependency answered ${status}`;
  if (status < 500 && !NOT_FINAL.has(status)) return { kind: 'dead', status, error };
  return failed(error, status, undefined, write, most, schedule);
}

/** What a failed call means. A refusal of our own was no attempt: the dependency never saw it. */
export function settlementOfError(
  error: unknown,
  write: OutboxWrite,
  most: number,
  schedule: Schedule,
): Settlement {
  const retryAfterMs = isSpillwayError(error) ? error.retryAfterMs : undefined;
  if (isRefusal(error) && error.sent !== 'maybe' && error.sent !== 'answered') {
    const afterMs = Math.max(retryAfterMs ?? 0, 100);
    return { kind: 'later', afterMs, counted: false, status: undefined, error: error.code };
  }
  const cause = isSpillwayError(error) ? (error.cause ?? error) : error;
  const status = (cause as { status?: unknown } | undefined)?.status;
  const known = typeof status === 'number' ? status : undefined;
  return failed(describe(error), known, retryAfterMs, write, most, schedule);
}

function failed(
  error: string,
  status: number | undefined,
  retryAfterMs: number | undefined,
  write: OutboxWrite,
  most: number,
  schedule: Schedule,
): Settlement {
  const attempt = write.attempts + 1;
  if (attempt >= most) return { kind: 'dead', status, error };
  const afterMs = Math.max(schedule.after(attempt), retryAfterMs ?? 0);
  return { kind: 'later', afterMs, counted: true, status, error };
}

/** A code or a name, never free text: it may hold what the write holds. */
function describe(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'Error';
}
