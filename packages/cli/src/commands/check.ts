import { resolveConfig } from '@spillway/core';
import { check, type Finding, RULES, ruleById, type Severity, worstCases } from '@spillway/core/check';
import { BadInput } from '../bad-input.js';
import { loadConfig } from '../load/load-config.js';
import { checkText } from '../output/check-text.js';
import { ruleText } from '../output/rule-page.js';
import { sarif } from '../output/sarif.js';
import type { Terminal } from '../terminal.js';

export interface CheckOptions {
  readonly json?: boolean;
  readonly format: 'text' | 'json' | 'sarif';
  readonly declare?: string;
  readonly failOn: Severity;
  readonly explain?: string;
}

const RANK: Readonly<Record<Severity, number>> = { error: 2, warning: 1, info: 0 };

/** `spillway check`: 0 when nothing is as bad as `failOn`, 1 otherwise. @throws BadInput, ERR_CONFIG */
export async function checkCommand(
  path: string | undefined,
  options: CheckOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.explain !== undefined) return explainRule(options.explain, terminal);
  if (path === undefined) throw new BadInput('Give the configuration to check, or --explain SW001');
  const { text, config, declared } = await loadConfig(path, options.declare);
  const resolved = resolveConfig(config);
  const findings = check(config, resolved, declared);
  const worst = worstCases(config, resolved, declared);
  const format = options.json === true ? 'json' : options.format;
  if (format === 'json') {
    terminal.write(`${JSON.stringify({ path, findings, worstCases: worst }, undefined, 2)}\n`);
  } else if (format === 'sarif') terminal.write(sarif(path, text, findings));
  else terminal.write(checkText(path, findings, worst));
  return isBad(findings, options.failOn) ? 1 : 0;
}

function isBad(findings: readonly Finding[], failOn: Severity): boolean {
  return findings.some(({ severity }) => RANK[severity] >= RANK[failOn]);
}

function explainRule(id: string, terminal: Terminal): number {
  const rule = ruleById(id);
  if (rule === undefined) {
    throw new BadInput(
      `--explain is '${id}', which is no rule. Give one of ${RULES.map((known) => known.id).join(', ')}`,
    );
  }
  terminal.write(ruleText(rule));
  return 0;
}
