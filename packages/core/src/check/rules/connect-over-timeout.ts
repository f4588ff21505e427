import { formatDuration } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const connectOverTimeout: Rule = dependencyRule(
  {
    id: 'SW005',
    severity: 'error',
    title: 'attempt.connect above attempt.timeout',
    why: 'Connecting is part of the attempt. A connect bound above the attempt timeout never fires, and a connection that was never made is then told as a timeout after sending, which may not be retried.',
  },
  (dependency) => {
    const { connectMs, timeoutMs } = dependency.options.attempt;
    if (connectMs === undefined || connectMs <= timeoutMs) return undefined;
    if (!standsIdle(dependency, 'attempt.connect', 'attempt.timeout')) return undefined;
    return {
      option: 'attempt.connect',
      message: `Connecting may take ${formatDuration(connectMs)}, the whole attempt ${formatDuration(timeoutMs)}: the connect bound can never fire.`,
      fix: `Set attempt.connect well below ${formatDuration(timeoutMs)}.`,
      arithmetic: `${formatDuration(connectMs)} > ${formatDuration(timeoutMs)}`,
    };
  },
);
