import { ERROR_CATALOGUE, STOP_REASONS } from '../call/error-catalogue.js';
import { OUTCOME_TABLE } from '../call/outcome-table.js';

/** One dimension of an instrument. */
export interface Label {
  /** In Prometheus. */
  readonly name: string;
  /** The attribute in OpenTelemetry. */
  readonly attribute: string;
  /** All it can be; absent where users name the values. */
  readonly values?: readonly string[];
  /**
   * Of an open one: this many values are told apart (per dependency, if the instrument has that label too); whatever
   * comes later counts as `OVERFLOW` (C-086). Absent where the configuration bounds it.
   */
  readonly limit?: number;
  readonly help: string;
}

/** The value under which everything beyond a label's limit is counted. */
export const OVERFLOW = 'other';

const KINDS: readonly string[] = Object.keys(OUTCOME_TABLE);
const CODES: readonly string[] = [...Object.keys(ERROR_CATALOGUE), OVERFLOW];
const STATES: readonly string[] = ['closed', 'open', 'half-open', 'forced-open', 'disabled'];
const FLAG: readonly string[] = ['false', 'true'];

function closed(name: string, values: readonly string[], help: string): Label {
  return { name, attribute: `spillway.${name}`, values, help };
}

function open(name: string, limit: number, help: string): Label {
  return { name, attribute: `spillway.${name}`, limit, help };
}

export const SERVICE: Label = {
  // not `service`: service discovery gives targets a label of that name
  name: 'spillway',
  attribute: 'spillway.service',
  help: 'The `service` of the configuration: tells several spillways of one process apart.',
};
export const DEPENDENCY: Label = {
  name: 'dependency',
  attribute: 'spillway.dependency',
  help: 'Name of the dependency, as configured.',
};
export const OPERATION: Label = open(
  'operation',
  30,
  'What was called: the method, or the `operation` option of the call. Never a path or an id.',
);
export const OUTCOME: Label = closed(
  'outcome',
  ['success', 'degraded', 'failed', 'refused', 'cancelled'],
  'What the user of the operation saw.',
);
export const CODE: Label = closed('code', CODES, 'Code of the error; `other` for errors that are not ours.');
export const KIND: Label = closed('kind', KINDS, 'What the attempt came to: a row of the outcome table.');
export const RESULT: Label = closed(
  'result',
  ['success', 'failure', 'ignored'],
  'How the breaker counts the attempt.',
);
export const SENT: Label = closed(
  'sent',
  ['no', 'maybe', 'answered'],
  'Did the attempt reach the dependency?',
);
export const ATTEMPT: Label = closed(
  'attempt',
  ['2', '3', '4', '5', '6+'],
  'Number of the attempt to come, the first being 1.',
);
export const RETRY_REASON: Label = closed(
  'reason',
  KINDS,
  'What the attempt before came to: a row of the outcome table.',
);
export const STOPPED: Label = closed('stopped', [...STOP_REASONS], 'Why no further attempt was made.');
export const OBSERVED: Label = closed(
  'observed',
  FLAG,
  '`true`: the part only observes, and the work went on.',
);
export const BREAKER: Label = open(
  'breaker',
  20,
  'Key of the breaker: the dependency, or an origin. Keys made of paths or by functions count as `other`, unless shown by choice.',
);
export const STATE: Label = closed('state', STATES, 'State of a breaker.');
export const FROM: Label = closed('from', STATES, 'State it left.');
export const TO: Label = closed('to', STATES, 'State it went to.');
export const BULKHEAD_REASON: Label = closed(
  'reason',
  ['full', 'waited', 'deadline'],
  'No place in the queue, too long in it, or no time left to wait.',
);
export const GAVE_UP: Label = closed(
  'gave_up',
  FLAG,
  '`true`: the work still ran when `detachAfter` had passed.',
);
export const FALLBACK_RESULT: Label = closed(
  'result',
  ['used', 'failed'],
  'Did the fallback give an answer?',
);
export const CAUSE: Label = closed('cause', CODES, 'Code of the failure that the fallback stood in for.');
export const FAULT: Label = closed(
  'fault',
  ['latency', 'status', 'error', 'latency+status', 'latency+error'],
  'What was injected.',
);
export const PRIORITY: Label = closed(
  'priority',
  ['critical_plus', 'critical', 'sheddable_plus', 'sheddable'],
  'Class of the request, the last to be shed first.',
);
export const INBOUND_REASON: Label = closed(
  'reason',
  ['limit', 'queue', 'deadline', 'codel', 'draining'],
  'Why the gate refused.',
);
export const INBOUND_OUTCOME: Label = closed(
  'outcome',
  ['answered', 'aborted', 'failed'],
  '`aborted`: the client went away.',
);
export const STATUS: Label = closed(
  'status',
  ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'],
  'Class of the status that was sent; `none` when none was (C-087).',
);
export const SOURCE: Label = open('source', 10, 'The header that brought the deadline, or `default`.');
export const HEADER: Label = open('header', 10, 'Name of the header.');
export const HOW: Label = closed('how', ['answer', 'error'], 'What the handler came back with.');
export const DECISION: Label = closed(
  'decision',
  ['run', 'replay', 'not-stored', 'in-progress', 'mismatch'],
  'How a request with an idempotency key was answered.',
);
export const ENDING: Label = closed(
  'outcome',
  ['completed', 'released', 'stale', 'unsaved'],
  'How the run of a request with a key went into the store.',
);
export const STORE_OPERATION: Label = closed(
  'operation',
  ['begin', 'renew', 'complete', 'release', 'checkpoint', 'sweep', 'transact'],
  'What the store was asked for.',
);
export const TIMEOUT: Label = closed('timeout', FLAG, '`true`: the store did not answer in time.');
export const FOLDED: Label = closed(
  'label',
  ['operation', 'breaker', 'source', 'header'],
  'The label that had more values than its limit.',
);
