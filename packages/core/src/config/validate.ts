import { type SpillwayError, spillwayError } from '../call/errors.js';
import { crossIssues } from './cross-checks.js';
import { type ConfigIssue, configIssues } from './issues.js';
import { configSchema } from './schema.js';

/**
 * Checks every option at once: known, of the right kind, in its range.
 * @throws ERR_CONFIG; its message lists each wrong option by path, value and allowed range, `details.issues` too
 */
export function validateConfig(config: unknown): void {
  const result = configSchema().safeParse(config);
  const issues = result.success ? [] : configIssues(result.error.issues, config);
  issues.push(...crossIssues(config));
  if (issues.length > 0) throw configError(issues);
}

/** ERR_CONFIG over a list of wrong options. */
export function configError(issues: readonly ConfigIssue[]): SpillwayError {
  const count = issues.length === 1 ? '1 option is wrong' : `${issues.length} options are wrong`;
  const lines = issues.map(({ message }) => `  - ${message}`);
  return spillwayError('ERR_CONFIG', `Spillway's configuration: ${count}.\n${lines.join('\n')}`, {
    details: { issues },
  });
}
