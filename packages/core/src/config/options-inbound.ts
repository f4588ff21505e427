import { DEFAULTS } from './defaults.js';
import type { OptionRow } from './option-row.js';
import { choice, duration, integer, mode, number, shape, shareAboveZero } from './ranges.js';

const D = DEFAULTS.inbound;

const DEADLINE_OPTIONS: readonly OptionRow[] = [
  {
    path: 'inbound.deadline',
    range: shape('an object of inbound deadline options'),
    doc: 'The deadline each request arrives with.',
  },
  {
    path: 'inbound.deadline.default',
    range: duration(1),
    default: D.defaultMs,
    defaultWords: '30 s, or the max if that is shorter',
    doc: 'For requests that bring none. Bounds downstream work only: no 504 comes of it.',
  },
  {
    path: 'inbound.deadline.max',
    range: duration(1),
    default: D.maxMs,
    defaultWords: '60 s, or the default if that is longer',
    doc: 'Longest deadline a caller may ask for.',
  },
  {
    path: 'inbound.deadline.margin',
    range: duration(0),
    default: D.marginMs,
    doc: 'Time kept back for fallbacks and the answer; at most 20 % of the budget.',
  },
  {
    path: 'inbound.deadline.headers',
    range: shape("a list of { header: 'x-time-left', unit: 'ms' or 's' }"),
    doc: 'More headers to read.',
  },
  {
    path: 'inbound.deadline.onMalformed',
    range: choice('ignore', 'reject'),
    default: 'ignore',
    doc: '`ignore`: a malformed header counts as absent. `reject`: 400.',
  },
  {
    path: 'inbound.deadline.covers',
    range: choice('headers', 'response'),
    default: 'headers',
    doc: "What must happen by the deadline: the response's first byte, or all of it.",
  },
  {
    path: 'inbound.deadline.mode',
    range: mode,
    default: 'enforce',
    doc: '`observe`: decide and count, but let everything pass.',
  },
];

const LIMIT_OPTIONS: readonly OptionRow[] = [
  {
    path: 'inbound.concurrency.limit',
    range: shape(
      "a whole number from 1 to 1,000,000, or an object whose kind is 'loop', 'aimd', 'vegas' or 'gradient'",
    ),
    defaultWords: "{ kind: 'loop' }",
    doc: 'Requests running at once: fixed, or adapting.',
  },
  {
    path: 'inbound.concurrency.limit.kind',
    range: choice('loop', 'aimd', 'vegas', 'gradient'),
    default: 'loop',
    doc: "What moves the limit: the event loop's turns, or latency.",
  },
  {
    path: 'inbound.concurrency.limit.turn',
    range: duration(1, { max: 10_000 }),
    default: D.loop.turnMs,
    doc: '`loop`: length of a loop turn above which the limit shrinks.',
  },
  {
    path: 'inbound.concurrency.limit.min',
    range: integer(1, 1_000_000),
    default: D.loop.min,
    defaultWords: `${D.loop.min} for \`loop\`, ${D.adaptive.min} for the others`,
    doc: 'Never lower.',
  },
  {
    path: 'inbound.concurrency.limit.max',
    range: integer(1, 1_000_000),
    default: D.loop.max,
    doc: 'Never higher. `loop` starts here.',
  },
  {
    path: 'inbound.concurrency.limit.initial',
    range: integer(1, 1_000_000),
    default: D.adaptive.initial,
    doc: '`aimd`, `vegas`, `gradient`: where the limit starts.',
  },
  {
    path: 'inbound.concurrency.limit.backoffRatio',
    range: number(0.5, 0.999),
    default: D.aimd.backoffRatio,
    doc: '`aimd`: what a drop or a late answer multiplies the limit by.',
  },
  {
    path: 'inbound.concurrency.limit.timeout',
    range: duration(1),
    default: D.aimd.timeoutMs,
    doc: '`aimd`: an answer that took longer counts as a drop.',
  },
  {
    path: 'inbound.concurrency.limit.smoothing',
    range: shareAboveZero(),
    default: D.gradient.smoothing,
    defaultWords: `${D.vegas.smoothing} for \`vegas\`, ${D.gradient.smoothing} for \`gradient\``,
    doc: '`vegas`, `gradient`: weight of a new value.',
  },
  {
    path: 'inbound.concurrency.limit.tolerance',
    range: number(1, 10),
    default: D.gradient.tolerance,
    doc: '`gradient`: how many times the long-term latency is still fine.',
  },
];

const GATE_OPTIONS: readonly OptionRow[] = [
  {
    path: 'inbound.concurrency',
    range: shape('a whole number from 1 to 1,000,000, an object of concurrency options, or false'),
    doc: 'How many requests run at once. A number is a fixed limit, `false` no limit.',
  },
  ...LIMIT_OPTIONS,
  {
    path: 'inbound.concurrency.queue',
    range: shape('an object with size, order, wait'),
    doc: 'Where requests wait for a free place.',
  },
  {
    path: 'inbound.concurrency.queue.size',
    range: integer(0, 1_000_000),
    default: D.queueSize,
    doc: 'Requests that may wait.',
  },
  {
    path: 'inbound.concurrency.queue.order',
    range: choice('fifo', 'lifo', 'adaptive'),
    default: 'fifo',
    doc: 'Who is next. `adaptive`: first in first out until it grows, then the newest.',
  },
  {
    path: 'inbound.concurrency.queue.wait',
    range: duration(1),
    default: D.queueWaitMs,
    doc: "Longest wait, further cut by each request's time left.",
  },
  {
    path: 'inbound.concurrency.shares',
    range: shape(
      'shares by class (critical_plus, critical, sheddable_plus, sheddable) that add up to 1 at most',
    ),
    doc: 'Guaranteed share of the limit per criticality class; the rest is free for all.',
  },
  {
    path: 'inbound.concurrency.mode',
    range: mode,
    default: 'enforce',
    doc: '`observe`: decide and count, but let everything pass.',
  },
];

export const INBOUND_OPTIONS: readonly OptionRow[] = [
  ...DEADLINE_OPTIONS,
  ...GATE_OPTIONS,
  {
    path: 'inbound.trust',
    range: shape("a list of addresses and CIDRs ('10.0.0.0/8', '::1'), or a function"),
    defaultWords: 'nobody',
    doc: "Peers whose headers are believed, by the socket's address; never X-Forwarded-For.",
  },
  {
    path: 'inbound.onDisconnect',
    range: choice('cancel', 'finish'),
    defaultWords: "'cancel' for safe methods, else 'finish'",
    doc: "What a client's hang-up does to the work it asked for.",
  },
  {
    path: 'inbound.detachAfter',
    range: duration(0),
    default: D.detachAfterMs,
    doc: 'A handler answered 504 that runs on gives its place back after this.',
  },
];
