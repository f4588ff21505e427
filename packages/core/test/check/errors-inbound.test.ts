import { describe, expect, test } from '@jest/globals';
import type { InboundConfig } from '../../src/config/types.js';
import { findAll, ofRule } from './find.js';

describe('inbound options that can never take effect', () => {
  const INBOUND: readonly (readonly [string, string, InboundConfig, InboundConfig, string])[] = [
    [
      'SW016',
      'inbound.deadline.default',
      { deadline: { default: '2m', max: '1m' } },
      { deadline: { default: '1m', max: '1m' } },
      'get 2 min, but no request gets more than 60 s',
    ],
    [
      'SW017',
      'inbound.deadline.margin',
      { deadline: { max: '1s', margin: 201 } },
      { deadline: { max: '1s', margin: 200 } },
      '20 % x 1,000 = 200 ms < 201 ms',
    ],
    [
      'SW018',
      'inbound.concurrency.queue.order',
      { concurrency: { queue: { order: 'lifo' } } },
      { concurrency: { queue: { order: 'lifo', size: 1 } } },
      'the queue has no places',
    ],
    [
      'SW018',
      'inbound.concurrency.queue.wait',
      { concurrency: { queue: { size: 0, wait: 100 } } },
      { concurrency: { queue: { size: 0 } } },
      'the queue has no places',
    ],
  ];

  test.each(INBOUND)('%s: %s', (id, path, wrong, right, says) => {
    expect(ofRule(id, findAll({ inbound: wrong }))).toMatchObject({
      severity: 'error',
      path,
      message: expect.stringContaining(says),
    });
    expect(ofRule(id, findAll({ inbound: right }))).toBeUndefined();
  });
});
