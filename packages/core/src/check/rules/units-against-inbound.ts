import { group } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const unitsAgainstInbound: Rule = dependencyRule(
  {
    id: 'SW402',
    severity: 'warning',
    title: 'One dependency may hold the whole server',
    why: 'Requests that run or wait at a dependency hold a place at the inbound gate. When one dependency may hold as many as there are, its outage shuts out the routes that do not need it.',
  },
  ({ options }, { resolved }) => {
    const gate = resolved.inbound.concurrency;
    if (gate === undefined || options.bulkhead === undefined) return undefined;
    const { limit } = gate;
    const places = limit.kind === 'fixed' ? limit.limit : limit.max;
    const { concurrent, queue } = options.bulkhead;
    if (concurrent + queue < places) return undefined;
    const arithmetic = `${group(concurrent)} + ${group(queue)} = ${group(concurrent + queue)} of ${group(places)}`;
    return {
      option: 'bulkhead.concurrent',
      message: `Requests at this dependency may hold ${arithmetic} places of the inbound limit: nothing is left for others.`,
      fix: 'Lower bulkhead.concurrent and bulkhead.queue, or raise inbound.concurrency.limit.',
      arithmetic,
    };
  },
);
