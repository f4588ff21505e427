import { dependencyRule, type Rule } from '../rule.js';

export const noBulkhead: Rule = dependencyRule(
  {
    id: 'SW403',
    severity: 'info',
    title: 'No bulkhead',
    why: 'Without a bulkhead a dependency that hangs collects every caller it has: memory, sockets and places at the inbound gate.',
  },
  ({ options }) =>
    options.bulkhead !== undefined
      ? undefined
      : {
          option: 'bulkhead',
          message: 'Nothing bounds how many calls are in flight at once.',
          fix: 'Leave bulkhead out of the options for the default one, unless this is meant.',
        },
);
