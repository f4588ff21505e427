import { parseDuration } from '@spillway/core';
import type { Expectation, VariantReport } from '../measure/report.js';
import { issueAt, scenarioError } from './issues.js';

type Relation = '<' | '<=' | '>' | '>=' | '=';

interface Condition {
  readonly words: string;
  readonly measure: string;
  readonly relation: Relation;
  /** null: never. */
  readonly limit: number | null;
}

const FORM = /^\s*([\w.-]+)\s*(<=|>=|<|>|=)\s*([\w.%/]+)\s*$/;
const ALLOWED =
  "a condition '<measure> <relation> <value>', as 'amplification <= 1.1', 'recovery <= 5s', 'goodShare >= 99%', 'shop.quotes.p99 < 400ms'";

/** Measures by the name that conditions use; each of a variant, or of one of its parts. */
const OF_VARIANT: Readonly<Record<string, (report: VariantReport) => number | null | undefined>> = {
  attempts: (report) => report.attempts,
  operations: (report) => report.operations,
  amplification: (report) => report.amplification,
  medianFailed: (report) => report.medianFailedMs,
  goodput: (report) => report.goodput,
  goodShare: (report) => report.goodShare,
  p50: (report) => report.p50Ms,
  p99: (report) => report.p99Ms,
  max: (report) => report.maxMs,
  recovery: (report) => report.recoveryMs,
  wasted: (report) => report.wasted.count,
};

/** Refuses conditions that cannot be read. */
export function parseExpectations(conditions: readonly string[]): readonly Condition[] {
  const issues = conditions.flatMap((words, i) =>
    parse(words) === undefined ? [issueAt(['expect', i], words, ALLOWED)] : [],
  );
  if (issues.length > 0) throw scenarioError(issues);
  return conditions.map((words) => parse(words) as Condition);
}

function parse(words: string): Condition | undefined {
  const [, measure, relation, value] = FORM.exec(words) ?? [];
  if (measure === undefined || relation === undefined || value === undefined) return undefined;
  const limit = value === 'never' ? null : numberOf(value);
  if (limit === undefined || (limit === null && relation !== '=')) return undefined;
  return { words, measure, relation: relation as Relation, limit };
}

function numberOf(value: string): number | undefined {
  if (/^\d+(?:\.\d+)?%$/.test(value)) return Number(value.slice(0, -1)) / 100;
  const bare = value.replace(/\/s$/, '');
  return /^\d+(?:\.\d+)?$/.test(bare) ? Number(bare) : parseDuration(value);
}

/** @throws ERR_CONFIG when a condition names a measure that the report does not have */
export function judgeExpectations(
  conditions: readonly Condition[],
  variant: string,
  report: VariantReport,
): readonly Expectation[] {
  return conditions.map(({ words, measure, relation, limit }, index) => {
    const found = measured(report, measure);
    if (found === undefined) throw scenarioError([issueAt(['expect', index], words, measuresOf(report))]);
    return { variant, condition: words, found, holds: compare(found, relation, limit) };
  });
}

function measured(report: VariantReport, measure: string): number | null | undefined {
  if (Object.hasOwn(OF_VARIANT, measure)) return OF_VARIANT[measure]?.(report);
  const at = measure.lastIndexOf('.');
  const [part, name] = [measure.slice(0, at), measure.slice(at + 1)];
  const dependency = report.dependencies[part];
  if (dependency !== undefined)
    return partMeasure({ ...dependency, ...dependency.latency, wasted: dependency.wasted.count }, name);
  const traffic = report.traffic[part];
  if (traffic !== undefined) return partMeasure({ ...traffic, ...traffic.latency }, name);
  const service = report.services[part];
  return service && partMeasure({ ...service, ...service.latency, wasted: service.wasted.count }, name);
}

/** `p99` stands for `p99Ms`. */
function partMeasure(part: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = part[name] ?? part[`${name}Ms`];
  return typeof value === 'number' ? value : undefined;
}

function measuresOf({ dependencies, traffic, services }: VariantReport): string {
  const parts = [...Object.keys(dependencies), ...Object.keys(traffic), ...Object.keys(services)];
  return `one of ${Object.keys(OF_VARIANT).join(', ')}, or a number of ${parts.join(', ')}, as ${parts[0]}.p99; recovery needs a trouble that ends`;
}

function compare(found: number | null, relation: Relation, limit: number | null): boolean {
  if (limit === null || found === null) return relation === '=' && found === limit;
  switch (relation) {
    case '<':
      return found < limit;
    case '<=':
      return found <= limit;
    case '>':
      return found > limit;
    case '>=':
      return found >= limit;
    case '=':
      return found === limit;
  }
}
