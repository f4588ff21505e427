import { type Rule, serviceRule } from '../rule.js';

export const observeInProduction: Rule = serviceRule(
  {
    id: 'SW603',
    severity: 'info',
    title: 'Observing in production',
    why: 'In observe mode a part decides and counts but lets everything pass. It is the right first day in production, and protects nothing.',
  },
  ({ input, resolved, dependencies }) => {
    if (input.production !== true) return [];
    const { deadline, concurrency } = resolved.inbound;
    const paths = [
      ...(deadline.mode === 'observe' ? ['inbound.deadline.mode'] : []),
      ...(concurrency?.mode === 'observe' ? ['inbound.concurrency.mode'] : []),
      ...dependencies.flatMap(({ options: { breaker, bulkhead, retry }, written }) => [
        ...(retry?.budget?.mode === 'observe' ? [written.where('retry.budget.mode')] : []),
        ...(breaker?.mode === 'observe' ? [written.where('breaker.mode')] : []),
        ...(bulkhead?.mode === 'observe' ? [written.where('bulkhead.mode')] : []),
      ]),
    ];
    return paths.map((path) => ({
      path,
      message: 'It only observes: everything passes.',
      fix: "Set it to 'enforce' once its figures are as expected.",
    }));
  },
);
