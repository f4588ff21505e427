import { type Finding, RULES, type Severity } from '@spillway/core/check';
import { lineOfPath } from './line-of-path.js';

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/** Findings as SARIF 2.1.0, which code review shows beside the lines that they are about. */
export function sarif(path: string, text: string, findings: readonly Finding[]): string {
  const rules = RULES.map(({ id, severity, title, why }) => ({
    id,
    shortDescription: { text: title },
    fullDescription: { text: why },
    defaultConfiguration: { level: LEVELS[severity] },
    help: { text: `${why} Run: spillway check --explain ${id}` },
  }));
  const results = findings.map((finding) => resultOf(path, text, finding));
  const driver = { name: 'spillway', rules };
  return `${JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [{ tool: { driver }, results }],
    },
    undefined,
    2,
  )}\n`;
}

function resultOf(
  file: string,
  text: string,
  { id, severity, path, message, fix, arithmetic }: Finding,
): object {
  return {
    ruleId: id,
    ruleIndex: RULES.findIndex((rule) => rule.id === id),
    level: LEVELS[severity],
    message: { text: `${path}: ${message} ${fix}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split('\\').join('/') },
          region: { startLine: lineOfPath(text, path) },
        },
        logicalLocations: [{ fullyQualifiedName: path }],
      },
    ],
    ...(arithmetic === undefined ? {} : { properties: { arithmetic } }),
  };
}
