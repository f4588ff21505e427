import { DEFAULTS } from '../config/defaults.js';
import type { ResolvedInbound } from '../config/resolved.js';

/** The instants that bound a request; Infinity: unbounded. */
export interface Bounds {
  /** By this the server answers, 504 if nothing better. Only a caller or a route asks for that. */
  readonly answerBy: number;
  /** By this the work for it is over. */
  readonly workUntil: number;
  /** When its deadline passes, be it to cut or only to count. */
  readonly dueAt: number;
}

const UNBOUNDED = Number.POSITIVE_INFINITY;
const { marginShare } = DEFAULTS.inbound;

/**
 * The bounds of a request that arrived at `arrivedAt`: the shorter of what its caller asked for and the longest
 * allowed, which is `deadline.max` or the route's own deadline. What nobody asked for bounds the work alone, so that
 * long polls, reports and uploads live on.
 */
export function boundsOf(
  deadline: ResolvedInbound['deadline'],
  askedMs: number | undefined,
  routeMs: number | undefined,
  observes: boolean,
  arrivedAt: number,
): Bounds {
  const isAsked = askedMs !== undefined || routeMs !== undefined;
  const budgetMs = isAsked ? Math.min(askedMs ?? UNBOUNDED, routeMs ?? deadline.maxMs) : deadline.defaultMs;
  const end = arrivedAt + budgetMs;
  if (observes) return { answerBy: UNBOUNDED, workUntil: UNBOUNDED, dueAt: isAsked ? end : UNBOUNDED };
  const workUntil =
    budgetMs === UNBOUNDED ? UNBOUNDED : end - Math.min(deadline.marginMs, marginShare * budgetMs);
  return isAsked
    ? { answerBy: end, workUntil, dueAt: end }
    : { answerBy: UNBOUNDED, workUntil, dueAt: UNBOUNDED };
}
