import { type Rule, serviceRule } from '../rule.js';

export const keysWithoutSecret: Rule = serviceRule(
  {
    id: 'SW605',
    severity: 'info',
    title: 'Derived keys without a secret',
    why: "Keys of nested calls are derived from the caller's key. Without a secret of this service anybody who knows that key can work them out.",
  },
  ({ input, resolved }) =>
    input.production !== true || resolved.idempotencySecret !== undefined
      ? []
      : [
          {
            path: 'idempotency.secret',
            message: "Keys of nested calls are derived from the caller's key alone.",
            fix: 'Set idempotency.secret to a random text, the same on all instances.',
          },
        ],
);
