import { DEFAULTS } from './defaults.js';
import type { OptionRow } from './option-row.js';
import { choice, duration, integer, mode, number, shape, statuses } from './ranges.js';

const D = DEFAULTS.retry;

export const RETRY_OPTIONS: readonly OptionRow[] = [
  {
    path: 'retry',
    range: shape('an object of retry options, or false'),
    doc: 'Repeats what may be repeated. `false` leaves it out.',
  },
  {
    path: 'retry.attempts',
    range: integer(1, 100),
    default: D.attempts,
    doc: 'All attempts, the first included: 1 never retries.',
  },
  {
    path: 'retry.backoff',
    range: shape('an object with base, factor, cap, jitter, or a function that answers a duration'),
    doc: 'The wait before a retry.',
  },
  {
    path: 'retry.backoff.base',
    range: duration(0),
    default: D.backoff.baseMs,
    defaultWords: '100 ms, or the cap if that is shorter',
    doc: 'Wait before the first retry.',
  },
  {
    path: 'retry.backoff.factor',
    range: number(1, 100),
    default: D.backoff.factor,
    doc: 'Growth per retry.',
  },
  {
    path: 'retry.backoff.cap',
    range: duration(0),
    default: D.backoff.capMs,
    defaultWords: '2 s, or the base if that is longer',
    doc: 'Longest wait.',
  },
  {
    path: 'retry.backoff.jitter',
    range: choice('full', 'equal', 'decorrelated', 'none'),
    default: D.backoff.jitter,
    doc: '`full`: uniform between 0 and the exponential value.',
  },
  {
    path: 'retry.budget',
    range: shape('an object of budget options, or false'),
    doc: 'Bounds retries as a share of the operations. `false` leaves it out.',
  },
  {
    path: 'retry.budget.ratio',
    range: number(0, 10),
    default: D.budget.ratio,
    doc: 'Retries per operation over the window.',
  },
  {
    path: 'retry.budget.window',
    range: duration(100),
    default: D.budget.windowMs,
    doc: 'How far back it looks.',
  },
  {
    path: 'retry.budget.minPerSecond',
    range: number(0, 1_000_000),
    default: D.budget.minPerSecond,
    doc: 'Floor: this times the window, in seconds, is there whole from the start.',
  },
  {
    path: 'retry.budget.concurrent',
    range: shape('an object with ratio and min, or false'),
    doc: 'Scheduled and running retries stay below max(min, ratio x operations in flight).',
  },
  {
    path: 'retry.budget.concurrent.ratio',
    range: number(0, 10),
    default: D.budget.concurrent.ratio,
    doc: 'Share of the operations in flight.',
  },
  {
    path: 'retry.budget.concurrent.min',
    range: integer(0, 1_000_000),
    default: D.budget.concurrent.min,
    doc: 'Always allowed.',
  },
  {
    path: 'retry.budget.key',
    range: shape('true, false or a function'),
    default: false,
    doc: "Splits the ratio's part per tenant, from the call's `key` option or by the function.",
  },
  {
    path: 'retry.budget.maxKeys',
    range: integer(1, 1_000_000),
    default: D.budget.maxKeys,
    doc: 'Tenants remembered.',
  },
  {
    path: 'retry.budget.mode',
    range: mode,
    default: 'enforce',
    doc: '`observe`: decide and count, but let everything pass.',
  },
  {
    path: 'retry.maxRetryAfter',
    range: duration(0),
    default: D.maxRetryAfterMs,
    doc: 'Retry-After is honoured up to this and never shortened: a longer one stops the loop.',
  },
  {
    path: 'retry.owner',
    range: choice('here', 'above', 'ignore'),
    default: D.owner,
    doc: 'Who retries: `here` unless told otherwise on the wire, `above` never here, `ignore` always here.',
  },
  {
    path: 'retry.statuses',
    range: statuses,
    defaultWords: '408 425 429 500 502 503 504',
    doc: 'Statuses to retry.',
  },
];
