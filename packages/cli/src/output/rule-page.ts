import type { RuleText } from '@spillway/core/check';
import { wrapped } from './table.js';

const MEANS: Readonly<Record<RuleText['severity'], string>> = {
  error:
    'An option that was written and can never take effect. createSpillway refuses it, unless strict is false.',
  warning: 'It does something other than it seems to, or hurts when it matters.',
  info: 'Worth knowing.',
};

/** What `--explain` prints. */
export function ruleText({ id, severity, title, why }: RuleText): string {
  return `${id}  ${title}\n\n${wrapped(why, '  ')}\n\n  At most: ${severity}. ${MEANS[severity]}\n  To leave it out: check: { ignore: [{ id: '${id}', reason: 'why this is meant' }] }\n`;
}

/** The page of one rule in docs/checker. */
export function rulePage({ id, severity, title, why }: RuleText): string {
  return `# ${id}: ${title}

Severity: at most **${severity}**. ${MEANS[severity]}

${why}

Where it is meant, say so, with the reason:

\`\`\`ts
check: { ignore: [{ id: '${id}', reason: 'why this is meant' }] }
\`\`\`

The same words in a terminal: \`npx spillway check --explain ${id}\`.
`;
}

/** The list of all rules, docs/checker/README.md. */
export function ruleIndex(rules: readonly RuleText[]): string {
  const rows = rules.map(({ id, severity, title }) => `| [${id}](${id}.md) | ${severity} | ${title} |`);
  return `# Rules of the checker

\`spillway check <config>\` and \`createSpillway\` share these. Generated from the rules themselves by
\`node scripts/generate-docs.mjs\`.

| rule | at most | about |
|---|---|---|
${rows.join('\n')}
`;
}
