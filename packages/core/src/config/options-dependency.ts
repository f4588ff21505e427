import { DEFAULTS } from './defaults.js';
import type { OptionRow } from './option-row.js';
import { RETRY_OPTIONS } from './options-retry.js';
import {
  callback,
  choice,
  choiceOrFunction,
  duration,
  flag,
  integer,
  mode,
  number,
  shape,
  shareAboveZero,
  statuses,
} from './ranges.js';

const D = DEFAULTS;

const OWN_OPTIONS: readonly OptionRow[] = [
  {
    path: 'baseUrl',
    range: shape('an http or https URL without credentials, query and fragment'),
    doc: "Where the HTTP client's paths go. Needed for a client, not for `.call()`. Not in `defaults`.",
  },
  {
    path: 'deadline',
    range: duration(1, { orFalse: true }),
    default: D.deadlineMs,
    doc: "Longest an operation may take, retries and waits included. `false`: the request's alone.",
  },
  {
    path: 'fallback',
    range: shape('a function, or an object with run, timeout, mark'),
    doc: 'Gives the value to answer with when the operation has failed. Not in `defaults`.',
  },
  { path: 'fallback.run', range: callback, doc: 'The function itself.' },
  {
    path: 'fallback.timeout',
    range: duration(1),
    default: D.fallbackTimeoutMs,
    doc: 'Longest it may take, further cut by the time in which the request must be answered.',
  },
  {
    path: 'fallback.mark',
    range: flag,
    default: true,
    doc: 'Mark the answer with `X-Degraded: <dependency>`.',
  },
  {
    path: 'classify',
    range: callback,
    doc: 'Overrides the outcome table for this dependency: gets the result or the error, answers a verdict.',
  },
  {
    path: 'propagate',
    range: flag,
    default: true,
    doc: 'Send our headers to it, and believe its. `false` for third parties.',
  },
  {
    path: 'idempotencyKey',
    range: flag,
    default: true,
    doc: 'Derive the idempotency keys of calls made inside a request that came with one.',
  },
  {
    path: 'client',
    range: shape('an object of options of got'),
    doc: 'Options of got for every request: `headers`, `searchParams`, `followRedirect`, …',
  },
  {
    path: 'policies',
    range: shape("a list of { policy, before: 'breaker' }"),
    doc: 'Policies of your own, each just outside one of the standard ones. Not in `defaults`.',
  },
];

const ATTEMPT_OPTIONS: readonly OptionRow[] = [
  { path: 'attempt', range: shape('an object with timeout, min, connect'), doc: 'Times of one attempt.' },
  {
    path: 'attempt.timeout',
    range: duration(1, { orFalse: true }),
    default: D.attempt.timeoutMs,
    defaultWords: '3 s, or the deadline if that is shorter',
    doc: 'Longest one attempt may take. `false`: bounded by the deadline alone.',
  },
  {
    path: 'attempt.min',
    range: duration(0),
    default: D.attempt.minMs,
    defaultWords: '50 ms, or the timeout if that is shorter',
    doc: 'A retry is not started with less time left.',
  },
  {
    path: 'attempt.connect',
    range: duration(1),
    defaultWords: "the attempt's timeout",
    doc: "Bound on look-up, connect and TLS of a client's attempt.",
  },
];

const BREAKER_OPTIONS: readonly OptionRow[] = [
  {
    path: 'breaker',
    range: shape('an object of breaker options, or false'),
    doc: 'Stops calling what fails. `false` leaves it out.',
  },
  {
    path: 'breaker.window',
    range: shape("a duration from 1 ms to 365 d, as 400 (ms), '400ms' or '2s', or { calls: 1 to 100,000 }"),
    default: D.breaker.windowMs,
    defaultWords: '30 s',
    doc: 'How far back it looks: a time, or the last so many calls.',
  },
  {
    path: 'breaker.window.calls',
    range: integer(1, 100_000),
    doc: 'The last so many calls.',
  },
  {
    path: 'breaker.minCalls',
    range: integer(1, 1_000_000),
    default: D.breaker.minCalls,
    defaultWords: '20, or the calls of a shorter count window',
    doc: 'Rates are judged from so many calls in the window.',
  },
  {
    path: 'breaker.failureRate',
    range: shareAboveZero({ orFalse: true }),
    default: D.breaker.failureRate,
    doc: 'Share of failures that opens; reached exactly, it opens.',
  },
  {
    path: 'breaker.consecutive',
    range: integer(1, 10_000, { orFalse: true }),
    default: D.breaker.consecutive,
    doc: 'Failures in a row, within a window of time, that open.',
  },
  {
    path: 'breaker.slow',
    range: shape('an object with over and rate, or false'),
    default: false,
    doc: 'Opens on slow calls. Off until `over` is given.',
  },
  { path: 'breaker.slow.over', range: duration(1), doc: 'A call is slow when it took strictly longer.' },
  {
    path: 'breaker.slow.rate',
    range: shareAboveZero(),
    default: D.breaker.slowRate,
    doc: 'Share of slow calls that opens.',
  },
  {
    path: 'breaker.openFor',
    range: duration(1),
    default: D.breaker.openForMs,
    doc: 'How long it stays open; doubles per reopening, resets after a full window closed.',
  },
  {
    path: 'breaker.maxOpenFor',
    range: duration(1),
    default: D.breaker.maxOpenForMs,
    defaultWords: '60 s, or `openFor` if that is longer',
    doc: 'Longest it stays open.',
  },
  {
    path: 'breaker.jitter',
    range: number(0, 1),
    default: D.breaker.jitter,
    doc: 'Relative spread of the open time, so that instances do not probe together.',
  },
  {
    path: 'breaker.probes',
    range: shape('a whole number from 1 to 1,000, or { count: 1 to 1,000, rate: above 0, up to 1 }'),
    default: D.breaker.probes,
    doc: 'Trial calls while half open. A number: all must be good. `{ count, rate }`: judged after all.',
  },
  { path: 'breaker.probes.count', range: integer(1, 1_000), doc: 'Trial calls to judge by.' },
  { path: 'breaker.probes.rate', range: shareAboveZero(), doc: 'Share of bad ones that reopens.' },
  {
    path: 'breaker.observes',
    range: choice('attempts', 'operations', 'both'),
    default: 'attempts',
    doc: 'What it admits and records.',
  },
  {
    path: 'breaker.scope',
    range: choiceOrFunction('dependency', 'origin', 'endpoint'),
    default: 'dependency',
    doc: 'What shares one breaker.',
  },
  {
    path: 'breaker.maxKeys',
    range: integer(1, 1_000_000),
    default: D.breaker.maxKeys,
    doc: 'Breakers kept when scoped; least recently used go first, open ones last.',
  },
  {
    path: 'breaker.whenOpen',
    range: shape("'refuse', or { wait: a duration from 1 ms to 365 d }"),
    default: 'refuse',
    doc: 'What an open breaker does to a call.',
  },
  { path: 'breaker.whenOpen.wait', range: duration(1), doc: 'Longest a call waits for it to close.' },
  {
    path: 'breaker.statuses',
    range: statuses,
    defaultWords: '500 to 599',
    doc: 'Statuses that count as failures.',
  },
  {
    path: 'breaker.mode',
    range: mode,
    default: 'enforce',
    doc: '`observe`: decide and count, but let everything pass.',
  },
];

const BULKHEAD_OPTIONS: readonly OptionRow[] = [
  {
    path: 'bulkhead',
    range: shape('an object of bulkhead options, or false'),
    doc: 'Bounds the work that runs at once. `false` leaves it out.',
  },
  {
    path: 'bulkhead.concurrent',
    range: integer(1, 1_000_000),
    default: D.bulkhead.concurrent,
    doc: 'Pieces of work running at once.',
  },
  {
    path: 'bulkhead.queue',
    range: integer(0, 1_000_000),
    default: D.bulkhead.queue,
    doc: 'Operations that may wait for a unit.',
  },
  {
    path: 'bulkhead.wait',
    range: duration(0),
    default: D.bulkhead.waitMs,
    defaultWords: '500 ms, or the deadline if that is shorter',
    doc: 'Longest wait for a unit, further cut by the time left.',
  },
  {
    path: 'bulkhead.detachAfter',
    range: duration(0),
    default: D.bulkhead.detachAfterMs,
    doc: 'After this, work that ignores its abort gives its unit back.',
  },
  {
    path: 'bulkhead.mode',
    range: mode,
    default: 'enforce',
    doc: '`observe`: decide and count, but let everything pass.',
  },
];

/** Options of one dependency; all but `baseUrl`, `fallback` and `policies` may stand in `defaults` too. */
export const DEPENDENCY_OPTIONS: readonly OptionRow[] = [
  ...OWN_OPTIONS,
  ...ATTEMPT_OPTIONS,
  ...RETRY_OPTIONS,
  ...BREAKER_OPTIONS,
  ...BULKHEAD_OPTIONS,
];
