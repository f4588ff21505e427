import type { Clock, Observer, SpillwayEvent } from '@spillway/core';
import { checkMethod, checkNames, misuse } from '../given-options.js';
import { errorName } from './error-name.js';
import { eventFields, type LogFields, lateFields, operationFields } from './fields.js';
import { LOG_LEVELS, type LogLevel, levelOf, rankOf } from './levels.js';
import { RunningOperation } from './running-operation.js';

/** What is needed of a spillway. */
export interface LoggedSpillway {
  readonly service: string;
  readonly clock: Clock;
  subscribe(observer: Observer): () => void;
}

/** A logger of pino's form. */
export type FieldLogger = {
  readonly [level in LogLevel]: (fields: object, message: string) => void;
} & { readonly isLevelEnabled?: (level: LogLevel) => boolean };

interface CommonOptions {
  /** Least level that is written. Default `info`; with a logger that has `isLevelEnabled`, the logger's. */
  readonly level?: LogLevel;
  /**
   * Share of operations of which lines below `warn` are written, 0 to 1. Default 1. All such lines of an operation
   * are written, or none. Warnings and errors always are, and so are lines that belong to no operation.
   */
  readonly sample?: number;
  /**
   * Show the whole text of errors that stores and observers threw. They may quote keys and URLs, so by default (false)
   * only their class and code are shown.
   */
  readonly errorText?: boolean;
}

/** Either takes lines of JSON, without the line end, or is a logger. */
export type LogOptions = CommonOptions &
  (
    | { readonly write: (line: string) => void; readonly logger?: never }
    | { readonly logger: FieldLogger; readonly write?: never }
  );

/**
 * Writes what a spillway does as structured lines: one for each attempt that ends, each decision, and each operation
 * that ends, as loud as it matters. Lines show no URL, header or body, and keys as hashes. A logger that throws loses
 * that line; it is counted in `snapshot().observerFailures`, and the request goes on.
 * @returns the way to stop
 * @throws SpillwayError ERR_CONFIG for an unknown level, a sample out of range, or nowhere to write
 */
export function logEvents(spillway: LoggedSpillway, options: LogOptions): () => void {
  checkOptions(options);
  return spillway.subscribe(new EventLog(spillway, options).observe);
}

/** Gives back what the logger did: of one that is async, a promise that may reject. */
type Write = (level: LogLevel, event: SpillwayEvent, fields: LogFields) => unknown;

class EventLog {
  readonly #isEnabled: (level: LogLevel) => boolean;
  readonly #sample: number;
  readonly #errorText: boolean;
  readonly #write: Write;
  /** Operations that have not ended. */
  readonly #running: Map<number, RunningOperation> = new Map();

  constructor({ service, clock }: LoggedSpillway, options: LogOptions) {
    this.#isEnabled = enabledBy(options);
    this.#sample = options.sample ?? 1;
    this.#errorText = options.errorText ?? false;
    this.#write =
      options.logger === undefined ? lines(options.write, service, clock) : into(options.logger, service);
  }

  readonly observe = (event: SpillwayEvent): unknown => {
    const running = this.#runningOf(event);
    const level = levelOf(event);
    if (level === undefined || !this.#isEnabled(level)) return undefined;
    if ('id' in event && rankOf(level) < WARN && !isSampled(event.id, this.#sample)) return undefined;
    const fields = running === undefined ? lateFields(event) : operationFields(event, running);
    const own = eventFields(event, running?.start.subject.repeatable);
    const { error } = own;
    const said = typeof error === 'string' && !this.#errorText ? { ...own, error: errorName(error) } : own;
    return this.#write(level, event, { ...fields, ...said });
  };

  /** The operation of an event, as it is after it. */
  #runningOf(event: SpillwayEvent): RunningOperation | undefined {
    if (!('id' in event)) return undefined;
    if (event.type === 'operation.start') this.#running.set(event.id, new RunningOperation(event));
    const running = this.#running.get(event.id);
    running?.take(event);
    if (event.type === 'operation.end') this.#running.delete(event.id);
    return running;
  }
}

const WARN = rankOf('warn');

function enabledBy({ level, logger }: LogOptions): (level: LogLevel) => boolean {
  if (level === undefined && logger?.isLevelEnabled !== undefined) {
    return (asked) => logger.isLevelEnabled?.(asked) !== false;
  }
  const least = rankOf(level ?? 'info');
  return (asked) => rankOf(asked) >= least;
}

function lines(write: (line: string) => void, service: string, clock: Clock): Write {
  return (level, { type: event }, fields) =>
    write(JSON.stringify({ level, time: clock.wall(), service, event, ...fields }));
}

function into(logger: FieldLogger, service: string): Write {
  return (level, { type: event }, fields) => logger[level]({ service, event, ...fields }, event);
}

/** The same for all lines of an operation, without drawing on the spillway's randomness: a hash of its number. */
function isSampled(id: number, share: number): boolean {
  return (Math.imul(id, 0x9e3779b1) >>> 0) / 0x1_0000_0000 < share;
}

const NAME = 'logEvents';

function checkOptions(options: LogOptions): void {
  checkNames(NAME, options, ['level', 'sample', 'errorText', 'write', 'logger']);
  const { level, sample, errorText = false, write, logger } = options;
  if (typeof errorText !== 'boolean')
    throw misuse(NAME, `errorText: '${String(errorText)}' is neither true nor false`);
  if ((typeof write === 'function') === (typeof logger === 'object' && logger !== null))
    throw misuse(
      NAME,
      'Give either `write`, a function of a line, or `logger`, an object with pino’s methods',
    );
  if (logger !== undefined) for (const method of LOG_LEVELS) checkMethod(NAME, 'logger', logger, method);
  if (level !== undefined && !LOG_LEVELS.includes(level))
    throw misuse(NAME, `level: '${String(level)}' is none of ${LOG_LEVELS.join(', ')}`);
  if (sample !== undefined && !(typeof sample === 'number' && sample >= 0 && sample <= 1))
    throw misuse(NAME, `sample: ${String(sample)} is no share; give a number from 0 to 1`);
}
