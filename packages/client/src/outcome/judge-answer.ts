import { type Attempt, type Judgement, judge } from '@spillway/core';
import type { HttpRequest } from '../request/http-request.js';
import type { Exchange } from '../wire/exchange.js';

/** Verdicts on good answers, one per status: success makes none anew. */
const GOOD_BY_STATUS = new Map<number, Judgement>();

export function goodAnswer(status: number): Judgement {
  let good = GOOD_BY_STATUS.get(status);
  if (good === undefined) {
    good = Object.freeze(judge('answer', { status }));
    GOOD_BY_STATUS.set(status, good);
  }
  return good;
}

/** The verdict on an attempt that failed: its row, and what the answer said about trying again. */
export function failedAttempt(request: HttpRequest, exchange: Exchange, attempt: Attempt): Judgement {
  if (attempt.cancelled) return judge('cancelled');
  const kind = exchange.kind ?? 'misuse';
  const replayable = request.body.replayable ? undefined : false;
  if (exchange.status === undefined) {
    return judge(kind, { sent: kind === 'certificate' ? 'no' : attempt.sent, replayable });
  }
  const asked = exchange.retryAfter;
  return judge(kind, {
    sent: 'answered',
    status: exchange.status,
    retryAfterMs: asked === undefined || asked.past ? undefined : asked.ms,
    shouldRetry: request.upstream.options.propagate && saysStop(exchange) ? false : undefined,
    replayable,
  });
}

/** `X-Should-Retry: false`: retried already further down. `x-envoy-overloaded`: no use. */
function saysStop({ headers }: Exchange): boolean {
  const said = headers['x-should-retry'];
  if (typeof said === 'string' && said.trim().toLowerCase() === 'false') return true;
  return headers['x-envoy-overloaded'] !== undefined;
}
