import { type ConfigIssue, valueWords } from '../config/issues.js';
import type { ResolvedConfig } from '../config/resolved.js';
import type { SpillwayConfig } from '../config/types.js';
import { configError } from '../config/validate.js';
import { gatherFacts } from './facts.js';
import type { Finding, Severity } from './finding.js';
import type { CheckInput } from './input.js';
import { validateInput } from './input-schema.js';
import { RULES, ruleById } from './rules.js';

export type { Finding, Severity } from './finding.js';

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/**
 * Runs every rule over a configuration, as written and as resolved, and what is declared of its surroundings.
 * Findings come most severe first, then in the rules' order; those of `check.ignore` are left out.
 * @throws ERR_CONFIG for a wrong declaration, or when `check.ignore` names a rule that does not exist
 */
export function check(
  written: SpillwayConfig,
  resolved: ResolvedConfig,
  input: CheckInput = {},
): readonly Finding[] {
  validateInput(input);
  const ignored = ignoredIds(resolved.ignoredFindings);
  const facts = gatherFacts(written, resolved, input);
  return RULES.filter(({ id }) => !ignored.has(id))
    .flatMap((rule) => rule.find(facts))
    .sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}

function ignoredIds(ignored: ResolvedConfig['ignoredFindings']): Set<string> {
  const issues = ignored.flatMap(({ id }, i) => (ruleById(id) === undefined ? [unknownRule(id, i)] : []));
  if (issues.length > 0) throw configError(issues);
  return new Set(ignored.map(({ id }) => id));
}

function unknownRule(id: string, index: number): ConfigIssue {
  const path = `check.ignore[${index}].id`;
  return {
    path,
    value: valueWords(id),
    allowed: 'the id of a rule',
    message: `${path} is ${valueWords(id)}, which is no rule. Give the id of a finding, or remove it.`,
  };
}
