import { type AttemptContext, type Clock, spillwayError, Timer } from '../../src/index.js';
import type { Move, ScriptedOperation } from './script.js';

/** The work of one scripted operation. */
export interface Work {
  readonly run: (attempt: AttemptContext) => unknown;
  readonly thrown: unknown[];
  /** Signals of the attempts whose work runs. */
  readonly signals: ReadonlySet<AbortSignal>;
}

/** All scripted work of one play: performs the moves, and keeps count of what runs. */
export class Works {
  readonly #clock: Clock;
  readonly #letGo: () => number;
  running = 0;
  /** Most at once of which nobody had let go. */
  most = 0;
  /** The script's own timers. */
  timers = 0;

  constructor(clock: Clock, letGo: () => number) {
    this.#clock = clock;
    this.#letGo = letGo;
  }

  later(ms: number, act: () => void): void {
    this.timers++;
    const acted = () => {
      this.timers--;
      act();
    };
    this.#clock.arm(new ScriptTimer(acted), ms);
  }

  of(op: ScriptedOperation, own: (n: number) => number): Work {
    const thrown: unknown[] = [];
    const signals = new Set<AbortSignal>();
    let moves = 0;
    const run = ({ signal }: AttemptContext) => {
      const move = op.moves[Math.min(moves++, op.moves.length - 1)] as Move;
      signals.add(signal);
      this.running++;
      this.most = Math.max(this.most, this.running - this.#letGo());
      const ended = () => {
        signals.delete(signal);
        this.running--;
      };
      const done = this.#perform(move, move.ms + own(moves), signal, thrown);
      done.then(ended, ended);
      return done;
    };
    return { run, thrown, signals };
  }

  fallback(how: 'mends' | 'throws' | 'late', ownMs: number): () => unknown {
    if (how === 'mends') return () => 'mended';
    if (how === 'late')
      return () => new Promise((resolve) => this.later(30 + ownMs, () => resolve('mended late')));
    return () => {
      throw new Error('no better');
    };
  }

  #perform(
    { how, deaf, askedSeconds }: Move,
    ms: number,
    signal: AbortSignal,
    thrown: unknown[],
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!deaf) signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (how === 'hang') return;
      this.later(ms, () => {
        if (how === 'answer') resolve('answer');
        else if (how === 'throttle') resolve(throttled(askedSeconds));
        else {
          const error = errorOf(how);
          thrown.push(error);
          reject(error);
        }
      });
    });
  }
}

class ScriptTimer extends Timer {
  readonly #act: () => void;

  constructor(act: () => void) {
    super();
    this.#act = act;
  }

  onTimer(): void {
    this.#act();
  }
}

function errorOf(how: 'fail' | 'bug' | 'refuse'): Error {
  if (how === 'bug') return new TypeError('bug');
  return how === 'fail' ? new Error('failed') : spillwayError('ERR_BREAKER_OPEN', 'nested: open');
}

/** As much of a fetch Response as is read; a real one costs more than the whole operation. */
function throttled(seconds: number): unknown {
  const headers = { get: (name: string) => (name === 'retry-after' ? String(seconds) : null) };
  return { status: 429, headers, arrayBuffer: () => undefined };
}
