import type { Finding, WorstCaseReport } from '@spillway/core/check';
import { group, table, time, wrapped } from './table.js';

/** The readable report of `spillway check`. */
export function checkText(path: string, findings: readonly Finding[], worst: WorstCaseReport): string {
  const parts = [
    ...findings.map(findingText),
    dependencyTable(worst),
    pathTable(worst),
    summary(path, findings),
  ].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n`;
}

function findingText({ id, severity, path, message, fix }: Finding): string {
  return [
    `${severity.padEnd(7)}  ${id}  ${path}`,
    wrapped(message, '         '),
    wrapped(`Fix: ${fix}`, '         '),
  ].join('\n');
}

function dependencyTable({ dependencies }: WorstCaseReport): string {
  if (dependencies.length === 0) return '';
  const rows = dependencies.map((worst) => [
    worst.dependency,
    group(worst.attempts),
    time(worst.timeMs),
    held(worst.units, worst.concurrent),
    [worst.arithmetic, worst.unitsArithmetic].filter((words) => words !== undefined).join('; '),
  ]);
  return `Worst case of one operation\n${table(['dependency', 'attempts', 'time', 'units held', 'arithmetic'], rows)}`;
}

function held(units: number | undefined, concurrent: number | undefined): string {
  if (units === undefined) return '-';
  return concurrent === undefined ? group(units) : `${group(units)} of ${group(concurrent)}`;
}

function pathTable({ paths }: WorstCaseReport): string {
  if (paths.length === 0) return '';
  const rows = paths.map(({ services, product, attempts, arithmetic, timeMs }) => [
    services.join(' -> '),
    group(product),
    group(attempts),
    time(timeMs),
    arithmetic,
  ]);
  return `Worst case along each path\n${table(['path', 'calls', 'with ownership', 'time', 'arithmetic'], rows)}`;
}

function summary(path: string, findings: readonly Finding[]): string {
  const count = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length;
  if (findings.length === 0) return `${path}: nothing to say`;
  return `${path}: ${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}, ${plural(count('info'), 'hint')}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
