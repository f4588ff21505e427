import type { Clock, EventOf, FanOut, Observer, OperationOutcome, SpillwayEvent } from '@spillway/core';
import { checkNames, misuse } from '../given-options.js';
import { type LetterAttempt, letterAttempt, letterOf, MOST_FAILURES, type ShowPath } from './letter.js';
import { LetterBox } from './letter-box.js';
import { LetterFile } from './letter-file.js';
import { redactPath } from './redact-path.js';

/** What is needed of a spillway. */
export interface LetteredSpillway {
  readonly service: string;
  readonly clock: Clock;
  readonly events: FanOut;
  subscribe(observer: Observer): () => void;
}

export interface DeadLettersOptions {
  /** The file. Its directory is made where it is missing. Each process needs one of its own. */
  readonly file: string;
  /** A file that would grow beyond this becomes `<file>.1`. Bytes, 16,384 or more. Default 10 MiB. */
  readonly maxBytes?: number;
  /** Full files that are kept beside the one that is written, 0 to 100. Default 4. */
  readonly keep?: number;
  /** Letters that may wait for the disk, 1 to 1,000,000; more are dropped and counted. Default 1,000. */
  readonly queue?: number;
  /** Operations that are written down. Default those that failed or were refused, and that no fallback mended. */
  readonly outcomes?: readonly ('failed' | 'refused' | 'degraded')[];
  /**
   * How paths are shown. `redacted` (default): plain words and versions stay, whatever may be an id is `:id`. `false`:
   * not at all. `full`: as they go out, ids and all. A function gives a template of its own. Queries never are.
   */
  readonly path?: 'redacted' | 'full' | false | ((path: string) => string | undefined);
}

export interface DeadLetters {
  readonly stats: {
    /** Letters on disk. */
    readonly written: number;
    /** Letters that were lost: too many waited, or the disk refused them to the end. */
    readonly dropped: number;
    /** Letters that wait. */
    readonly queued: number;
    /** Times that writing began to fail. Each is counted in `snapshot().observerFailures`, too. */
    readonly faults: number;
  };
  /** Resolves when all letters so far are on disk, or the disk has refused them. Never rejects. */
  flush(): Promise<void>;
  /** Writes what waits and takes no more. Never rejects. */
  close(): Promise<void>;
}

const NAME = 'deadLetters';
const OPTIONS = ['file', 'maxBytes', 'keep', 'queue', 'outcomes', 'path'];
/** Operations that may be written down. */
const ENDINGS: readonly unknown[] = ['failed', 'refused', 'degraded'];
const MOST = 1_000_000;
/** One letter always fits into a file: its texts are cut. Bytes. */
const LONGEST_LETTER = 16_384;

/**
 * Writes down every operation that gave up, one line of JSON each. Letters show neither query, header nor body, keys as
 * hashes, and paths without ids. A disk that is full, slow or not there never holds up a request and costs no more
 * memory than `queue` letters.
 * @throws SpillwayError ERR_CONFIG naming the option that is wrong
 */
export function deadLetters(spillway: LetteredSpillway, options: DeadLettersOptions): DeadLetters {
  checkNames(NAME, options, OPTIONS);
  const { clock, events } = spillway;
  const file = new LetterFile(
    fileOf(options.file),
    ranged(options.maxBytes ?? 10_485_760, 'maxBytes', LONGEST_LETTER, Number.MAX_SAFE_INTEGER),
    ranged(options.keep ?? 4, 'keep', 0, 100),
  );
  const capacity = ranged(options.queue ?? 1000, 'queue', 1, MOST);
  const onFault = (error: unknown): void => events.observerFailed(error, clock.now());
  const box = new LetterBox({ file, clock, capacity, onFault });
  const stop = spillway.subscribe(new LetterWriter(spillway, options, box).observe);
  return {
    get stats() {
      const { written, dropped, queued, faults } = box;
      return { written, dropped, queued, faults };
    },
    flush: () => box.flush(),
    close: () => {
      stop();
      return box.close();
    },
  };
}

/** An operation that has not ended. */
interface Running {
  readonly start: EventOf<'operation.start'>;
  failures: LetterAttempt[] | undefined;
}

const NONE: readonly LetterAttempt[] = [];

class LetterWriter {
  readonly #service: string;
  readonly #clock: Clock;
  readonly #outcomes: ReadonlySet<OperationOutcome>;
  readonly #showPath: ShowPath;
  readonly #box: LetterBox;
  readonly #running: Map<number, Running> = new Map();

  constructor({ service, clock }: LetteredSpillway, options: DeadLettersOptions, box: LetterBox) {
    this.#service = service;
    this.#clock = clock;
    this.#outcomes = new Set(outcomesOf(options.outcomes ?? ['failed', 'refused']));
    this.#showPath = pathOf(options.path ?? 'redacted');
    this.#box = box;
  }

  readonly observe = (event: SpillwayEvent): void => {
    if (event.type === 'operation.start') this.#running.set(event.id, { start: event, failures: undefined });
    else if (event.type === 'attempt.end') this.#attemptEnded(event);
    else if (event.type === 'operation.end') this.#ended(event);
  };

  #attemptEnded(event: EventOf<'attempt.end'>): void {
    const running = event.kind === 'answer' ? undefined : this.#running.get(event.id);
    if (running === undefined) return;
    running.failures ??= [];
    if (running.failures.length < MOST_FAILURES) running.failures.push(letterAttempt(event));
  }

  #ended(event: EventOf<'operation.end'>): void {
    const running = this.#running.get(event.id);
    this.#running.delete(event.id);
    if (running === undefined || !this.#outcomes.has(event.outcome)) return;
    const from = { service: this.#service, wall: this.#clock.wall(), showPath: this.#showPath };
    this.#box.post(JSON.stringify(letterOf(running.start, event, running.failures ?? NONE, from)));
  }
}

function pathOf(path: NonNullable<DeadLettersOptions['path']>): ShowPath {
  if (path === false) return undefined;
  if (typeof path === 'function') return path;
  if (path === 'redacted') return redactPath;
  if (path === 'full') return (plain) => plain.split(/[?#]/, 1)[0];
  throw misuse(
    NAME,
    `path: '${String(path)}' is none of 'redacted', 'full', false or a function of the path`,
  );
}

function outcomesOf(outcomes: NonNullable<DeadLettersOptions['outcomes']>): readonly OperationOutcome[] {
  if (Array.isArray(outcomes) && outcomes.every((outcome) => ENDINGS.includes(outcome))) return outcomes;
  throw misuse(NAME, `outcomes: ${JSON.stringify(outcomes)} is no list of ${ENDINGS.join(', ')}`);
}

function fileOf(file: string): string {
  if (typeof file === 'string' && file !== '') return file;
  throw misuse(NAME, `file: ${String(file)} is no path; give that of the file to write`);
}

function ranged(value: number, option: string, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw misuse(
    NAME,
    `${option}: ${String(value)} is out of range; give a whole number from ${least} to ${most}`,
  );
}
