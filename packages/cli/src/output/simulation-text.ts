import type { Expectation, SimulationReport, VariantReport } from '@spillway/simulator';
import { group, table, time } from './table.js';

/** What `spillway simulate` prints. */
export function simulationText(report: SimulationReport): string {
  const variants = Object.entries(report.variants);
  const parts = [
    `${report.name}: ${report.about}\nseed ${report.seed}${report.focus === undefined ? '' : `, in focus ${report.focus}`}${report.complete ? '' : ', stopped: this is what was simulated so far'}`,
    summaryTable(variants),
    dependencyTable(variants),
    expectationText(report.expectations),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function summaryTable(variants: readonly (readonly [string, VariantReport])[]): string {
  const heading = [
    'variant',
    'operations',
    'attempts',
    'amplification',
    'good',
    'good/s',
    'p50',
    'p99',
    'max',
    'median failed',
    'recovery',
    'wasted',
  ];
  const rows = variants.map(([name, report]) => [
    name,
    group(report.operations),
    group(report.attempts),
    report.amplification.toFixed(2),
    percent(report.goodShare),
    group(Math.round(report.goodput * 10) / 10),
    time(report.p50Ms),
    time(report.p99Ms),
    time(report.maxMs),
    time(report.medianFailedMs),
    time(report.recoveryMs),
    group(report.wasted.count),
  ]);
  return table(heading, rows);
}

function dependencyTable(variants: readonly (readonly [string, VariantReport])[]): string {
  const rows = variants.flatMap(([variant, { dependencies }]) =>
    Object.entries(dependencies)
      .filter(([, { operations, attempts }]) => operations + attempts > 0)
      .map(([name, report]) => [
        variant === 'only' ? name : `${variant} ${name}`,
        group(report.attempts),
        group(report.outcomes.failed),
        counts(report.refusals),
        counts(report.stopped),
        percent(report.budget.peakUse),
        group(report.breaker.transitions.filter(({ to }) => to === 'open').length),
        group(report.maxInFlight),
      ]),
  );
  if (rows.length === 0) return '';
  return table(
    [
      'dependency',
      'attempts',
      'failed',
      'refused',
      'retries stopped by',
      'budget',
      'opened',
      'most in flight',
    ],
    rows,
  );
}

function counts(by: Readonly<Record<string, number>>): string {
  const words = Object.entries(by).map(
    ([name, count]) => `${name.replace(/^ERR_/, '').toLowerCase().replaceAll('_', ' ')} ${group(count)}`,
  );
  return words.length === 0 ? 'none' : words.join(', ');
}

function expectationText(expectations: readonly Expectation[]): string {
  return expectations
    .map(({ variant, condition, found, holds }) => {
      const where = variant === 'only' ? '' : `${variant}: `;
      return `${holds ? 'holds' : 'FAILS'}  ${where}${condition}${holds ? '' : `, found ${found === null ? 'never' : group(found)}`}`;
    })
    .join('\n');
}

function percent(share: number): string {
  return `${group(Math.round(share * 1000) / 10)} %`;
}
