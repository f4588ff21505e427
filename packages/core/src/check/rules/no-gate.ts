import { type Rule, serviceRule } from '../rule.js';

export const noGate: Rule = serviceRule(
  {
    id: 'SW404',
    severity: 'info',
    title: 'No inbound limit',
    why: 'Without a limit an overloaded server accepts everything and answers all of it too late.',
  },
  ({ resolved }) =>
    resolved.inbound.concurrency !== undefined
      ? []
      : [
          {
            path: 'inbound.concurrency',
            message: 'Nothing bounds how many requests run at once.',
            fix: "Leave inbound.concurrency out for 'loop', which refuses nobody while the server is healthy.",
          },
        ],
);
