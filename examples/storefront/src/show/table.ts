import type { RunReport, SideReport } from '../measure/watch.js';
import { SIDES } from '../processes/messages.js';
import { count, NAMES, time, times } from './words.js';

type Row = readonly [label: string, value: (side: SideReport) => string];

const ROWS: readonly Row[] = [
  ['requests', ({ requests }) => count(requests)],
  ['  during the outage', ({ requestsInOutage }) => count(requestsInOutage)],
  ['attempts that reached quotes during the outage', ({ attemptsInOutage }) => count(attemptsInOutage)],
  ['amplification (those per request)', ({ amplification }) => times(amplification)],
  ['wait of a failed call, median', ({ failedWait }) => time(failedWait.median)],
  ['wait of a failed call, p99', ({ failedWait }) => time(failedWait.p99)],
  ['answers 200, with a price', ({ answers }) => count(answers.fresh)],
  ['answers 200, degraded', ({ answers }) => count(answers.degraded)],
  ['answers 5xx', ({ answers }) => count(answers.failed)],
  ['no answer', ({ answers }) => count(answers.unanswered)],
  ['time to recover once quotes was well again', ({ recoveredAfter }) => time(recoveredAfter)],
];

const LABEL = Math.max(...ROWS.map(([label]) => label.length));
const COLUMN = 12;

/** The run in figures, one column a side. */
export function table(report: RunReport): string {
  const head = line(
    '',
    SIDES.map((side) => NAMES[side]),
  );
  const rows = ROWS.map(([label, value]) => {
    return line(
      label,
      SIDES.map((side) => value(report[side])),
    );
  });
  return [head, '-'.repeat(LABEL + SIDES.length * COLUMN), ...rows].join('\n');
}

function line(label: string, values: readonly string[]): string {
  return label.padEnd(LABEL) + values.map((value) => value.padStart(COLUMN)).join('');
}
