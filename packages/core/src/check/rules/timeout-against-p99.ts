import { formatDuration, group } from '../../config/durations.js';
import { isWritten } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

/** Room over p99, so that ordinary variation is not cut. */
const ROOM = 1.5;
/** Above so many times p99 a timeout says little. */
const LOOSE = 10;

/** The timeout that declared traffic suggests. */
export function suggestedTimeout(p99Ms: number): number {
  return p99Ms * ROOM;
}

export const timeoutAgainstP99: Rule = dependencyRule(
  {
    id: 'SW104',
    severity: 'warning',
    title: "An attempt timeout far from the dependency's p99",
    why: 'Below p99 the timeout cuts healthy calls and turns them into retries. Far above it, a hung dependency holds its callers many times longer than any healthy answer takes. p99 x 1.5 leaves room for ordinary variation.',
  },
  (dependency) => {
    const { p99Ms } = dependency.traffic;
    const { timeoutMs } = dependency.options.attempt;
    if (p99Ms === undefined || !Number.isFinite(timeoutMs)) return undefined;
    const suggested = suggestedTimeout(p99Ms);
    const arithmetic = `p99 ${group(p99Ms)} ms x ${ROOM} = ${group(suggested)}`;
    const fix = `Set attempt.timeout to about ${formatDuration(suggested)} (${arithmetic}).`;
    if (timeoutMs < suggested) {
      const healthy = timeoutMs < p99Ms ? 'it cuts more than 1 of 100 healthy attempts' : 'too near';
      return {
        option: 'attempt.timeout',
        message: `The attempt timeout is ${formatDuration(timeoutMs)} at a p99 of ${formatDuration(p99Ms)}: ${healthy}. ${arithmetic} ms.`,
        fix,
        arithmetic,
      };
    }
    if (timeoutMs <= LOOSE * p99Ms) return undefined;
    return {
      option: 'attempt.timeout',
      severity: isWritten(dependency, 'attempt.timeout') ? 'warning' : 'info',
      message: `The attempt timeout of ${formatDuration(timeoutMs)} is ${group(Math.round(timeoutMs / p99Ms))} times the p99 of ${formatDuration(p99Ms)}. ${arithmetic} ms.`,
      fix,
      arithmetic,
    };
  },
);
