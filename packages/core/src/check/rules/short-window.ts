import { formatDuration } from '../../config/durations.js';
import { isWritten } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const shortWindow: Rule = dependencyRule(
  {
    id: 'SW304',
    severity: 'warning',
    title: 'A window under two attempt timeouts',
    why: 'Results of a dependency that hangs come one attempt timeout late. In a window that holds hardly one of those, they are gone before enough of them have come together.',
  },
  (dependency) => {
    const { breaker, attempt } = dependency.options;
    if (breaker === undefined || !('ms' in breaker.window) || !Number.isFinite(attempt.timeoutMs))
      return undefined;
    const needed = 2 * attempt.timeoutMs;
    const { ms } = breaker.window;
    if (ms >= needed) return undefined;
    const arithmetic = `2 x ${formatDuration(attempt.timeoutMs)} = ${formatDuration(needed)} > ${formatDuration(ms)}`;
    return {
      option: 'breaker.window',
      severity: isWritten(dependency, 'breaker.window') ? 'warning' : 'info',
      message: `The window is shorter than two attempts that time out: ${arithmetic}.`,
      fix: `Set breaker.window to ${formatDuration(needed)} or more, or shorten attempt.timeout.`,
      arithmetic,
    };
  },
);
