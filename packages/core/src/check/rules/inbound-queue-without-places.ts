import { type FoundInService, type Rule, serviceRule } from '../rule.js';

export const inboundQueueWithoutPlaces: Rule = serviceRule(
  {
    id: 'SW018',
    severity: 'error',
    title: 'An inbound queue without places',
    why: 'The order of the inbound queue, and how long requests wait in it, mean nothing while its size is 0.',
  },
  ({ written, resolved }) => {
    const concurrency = written.inbound?.concurrency;
    if (typeof concurrency !== 'object' || resolved.inbound.concurrency?.queue.size !== 0) return [];
    const queue = concurrency.queue ?? {};
    return (['order', 'wait'] as const).flatMap((name): FoundInService[] =>
      queue[name] === undefined
        ? []
        : [
            {
              path: `inbound.concurrency.queue.${name}`,
              message: `inbound.concurrency.queue.${name} is written, but the queue has no places.`,
              fix: `Give inbound.concurrency.queue.size, or remove ${name}.`,
            },
          ],
    );
  },
);
