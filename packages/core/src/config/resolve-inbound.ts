import { DEFAULTS } from './defaults.js';
import { toMs } from './durations.js';
import type { ResolvedInbound, ResolvedLimit } from './resolved.js';
import { compileTrust } from './trust.js';
import type {
  InboundConcurrencyConfig,
  InboundConfig,
  InboundDeadlineConfig,
  LimitConfig,
  LimitConfigAimd,
  LimitConfigGradient,
  LimitConfigVegas,
} from './types.js';

const D = DEFAULTS.inbound;

export function resolveInbound(inbound: InboundConfig): ResolvedInbound {
  return Object.freeze({
    deadline: Object.freeze(resolveDeadline(inbound.deadline ?? {})),
    concurrency: resolveConcurrency(inbound.concurrency ?? {}),
    trusts: compileTrust(inbound.trust),
    onDisconnect: inbound.onDisconnect,
    detachAfterMs:
      inbound.detachAfter === undefined ? D.detachAfterMs : toMs(inbound.detachAfter, 'inbound.detachAfter'),
  });
}

/** A default `default` is never above a written `max`, nor a default `max` below a written `default`. */
function resolveDeadline(deadline: InboundDeadlineConfig): ResolvedInbound['deadline'] {
  const own = deadline.default === undefined ? undefined : toMs(deadline.default, 'inbound.deadline.default');
  const max = deadline.max === undefined ? undefined : toMs(deadline.max, 'inbound.deadline.max');
  const maxMs = max ?? Math.max(D.maxMs, own ?? 0);
  return {
    defaultMs: own ?? Math.min(D.defaultMs, maxMs),
    maxMs,
    marginMs:
      deadline.margin === undefined
        ? Math.min(D.marginMs, D.marginShare * maxMs)
        : toMs(deadline.margin, 'inbound.deadline.margin'),
    headers: Object.freeze(
      (deadline.headers ?? []).map(({ header, unit }) =>
        Object.freeze({ header: header.toLowerCase(), unit }),
      ),
    ),
    onMalformed: deadline.onMalformed ?? 'ignore',
    covers: deadline.covers ?? 'headers',
    mode: deadline.mode ?? 'enforce',
  };
}

function resolveConcurrency(
  concurrency: false | number | InboundConcurrencyConfig,
): ResolvedInbound['concurrency'] {
  if (concurrency === false) return undefined;
  const options = typeof concurrency === 'number' ? { limit: concurrency } : concurrency;
  const { size, order, wait } = options.queue ?? {};
  return Object.freeze({
    limit: Object.freeze(resolveLimit(options.limit ?? { kind: 'loop' })),
    queue: Object.freeze({
      size: size ?? D.queueSize,
      order: order ?? 'fifo',
      waitMs: wait === undefined ? D.queueWaitMs : toMs(wait, 'inbound.concurrency.queue.wait'),
    }),
    shares: Object.freeze({ ...options.shares }),
    mode: options.mode ?? 'enforce',
  });
}

function resolveLimit(limit: LimitConfig): ResolvedLimit {
  if (typeof limit === 'number') return { kind: 'fixed', limit };
  switch (limit.kind) {
    case 'loop':
      return {
        kind: 'loop',
        turnMs: limit.turn === undefined ? D.loop.turnMs : toMs(limit.turn, 'inbound.concurrency.limit.turn'),
        ...bounds(limit, D.loop),
      };
    case 'aimd':
      return {
        kind: 'aimd',
        ...adaptive(limit),
        backoffRatio: limit.backoffRatio ?? D.aimd.backoffRatio,
        timeoutMs:
          limit.timeout === undefined
            ? D.aimd.timeoutMs
            : toMs(limit.timeout, 'inbound.concurrency.limit.timeout'),
      };
    case 'vegas':
      return { kind: 'vegas', ...adaptive(limit), smoothing: limit.smoothing ?? D.vegas.smoothing };
    case 'gradient':
      return {
        kind: 'gradient',
        ...adaptive(limit),
        smoothing: limit.smoothing ?? D.gradient.smoothing,
        tolerance: limit.tolerance ?? D.gradient.tolerance,
      };
  }
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** A default bound gives way to a written one. */
function bounds(
  limit: { readonly min?: number; readonly max?: number; readonly initial?: number },
  d: Bounds,
): Bounds {
  const min = limit.min ?? Math.min(d.min, limit.max ?? d.min, limit.initial ?? d.min);
  return { min, max: limit.max ?? Math.max(d.max, limit.min ?? 0, limit.initial ?? 0) };
}

function adaptive(
  limit: LimitConfigAimd | LimitConfigVegas | LimitConfigGradient,
): Bounds & { initial: number } {
  const { min, max } = bounds(limit, D.adaptive);
  return { initial: limit.initial ?? Math.min(max, Math.max(min, D.adaptive.initial)), min, max };
}
