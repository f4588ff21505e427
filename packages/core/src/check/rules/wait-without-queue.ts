import { formatDuration, group } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const waitWithoutQueue: Rule = dependencyRule(
  {
    id: 'SW012',
    severity: 'error',
    title: 'A bulkhead with a wait but no queue, or a queue but no wait',
    why: 'An operation waits for a unit in a place of the queue for at most `wait`. One of them at 0 makes the other meaningless: full means refused.',
  },
  (dependency) => {
    const { bulkhead } = dependency.options;
    if (bulkhead === undefined) return undefined;
    const { queue, waitMs } = bulkhead;
    if (queue === 0 && waitMs > 0 && standsIdle(dependency, 'bulkhead.wait', 'bulkhead.queue')) {
      return {
        option: 'bulkhead.wait',
        message: `Operations may wait ${formatDuration(waitMs)} for a unit, but the queue has no place to wait in.`,
        fix: 'Give bulkhead.queue a size, or remove bulkhead.wait.',
      };
    }
    if (waitMs === 0 && queue > 0 && standsIdle(dependency, 'bulkhead.queue', 'bulkhead.wait')) {
      return {
        option: 'bulkhead.queue',
        message: `${group(queue)} operations may wait for a unit, but for 0 ms.`,
        fix: 'Give bulkhead.wait a length, or set bulkhead.queue to 0.',
      };
    }
    return undefined;
  },
);
