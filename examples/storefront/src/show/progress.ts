import type { WriteStream } from 'node:tty';
import type { RunReport, SideReport } from '../measure/watch.js';
import { SIDES } from '../processes/messages.js';
import { phaseAt, RUN_MS } from '../scenario.js';
import { count, NAMES, time } from './words.js';

const BAR_CELLS = 30;
/** Without a terminal there is one line in so many ms. */
const LINE_MS = 1_000;

/** Shows how a run goes: redrawn in place on a terminal, a line a second elsewhere. */
export class Progress {
  readonly #out: WriteStream;
  #drawn = 0;
  #linedAt = Number.NEGATIVE_INFINITY;

  constructor(out: WriteStream) {
    this.#out = out;
  }

  show(report: RunReport, elapsed: number): void {
    if (this.#out.isTTY)
      this.#redraw([bar(elapsed), ...SIDES.map((side) => line(NAMES[side], report[side]))]);
    else if (elapsed - this.#linedAt >= LINE_MS) {
      this.#linedAt = elapsed;
      const [left, right] = SIDES.map((side) => line(NAMES[side], report[side]));
      this.#out.write(`${clock(elapsed)}  ${left}  |  ${right}\n`);
    }
  }

  /** Writes something that stays, above what is redrawn. */
  say(text: string): void {
    this.leave();
    this.#out.write(`${text}\n`);
  }

  /** What is drawn stays as it is. */
  leave(): void {
    this.#drawn = 0;
  }

  #redraw(lines: readonly string[]): void {
    // a line that wraps would leave its rest behind
    const width = Math.max(20, (this.#out.columns || 80) - 1);
    const up = this.#drawn === 0 ? '' : `\x1b[${this.#drawn}A`;
    this.#out.write(up + lines.map((text) => `\x1b[2K${text.slice(0, width)}\n`).join(''));
    this.#drawn = lines.length;
  }
}

function bar(elapsed: number): string {
  const filled = Math.min(BAR_CELLS, Math.round((elapsed / RUN_MS) * BAR_CELLS));
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_CELLS - filled)}] ${clock(elapsed)}`;
}

function clock(elapsed: number): string {
  const { name, status } = phaseAt(elapsed);
  const seconds = Math.min(elapsed, RUN_MS) / 1_000;
  return `${seconds.toFixed(0).padStart(2)} of ${RUN_MS / 1_000} s, quotes ${name} (${status})`.padEnd(36);
}

function line(name: string, { answers, attemptsInOutage, failedWait }: SideReport): string {
  return [
    name.padEnd(9),
    `200 ${count(answers.fresh).padStart(3)}`,
    `degraded ${count(answers.degraded).padStart(3)}`,
    `5xx ${count(answers.failed + answers.unanswered).padStart(3)}`,
    `attempts ${count(attemptsInOutage).padStart(5)}`,
    `failed in ${time(failedWait.median)}`,
  ].join('  ');
}
