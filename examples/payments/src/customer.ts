import { clients } from '@spillway/client';
import { createSpillway, type SpillwayEvent } from '@spillway/core';
import type { Payment } from './ledger.js';

export interface Purchase {
  readonly payment: Payment;
  readonly attempts: number;
}

export interface Customer {
  pay(account: string, amount: number): Promise<Purchase>;
  close(): Promise<void>;
}

/** A customer of the payment API: each payment has one key, so it may be retried like a read. */
export function customer(url: string): Customer {
  const attempts = { count: 0 };
  const spillway = createSpillway(
    {
      service: 'shop',
      dependencies: { payments: { baseUrl: url, retry: { attempts: 4, budget: false } } },
    },
    {
      observers: [
        (event: SpillwayEvent) => {
          if (event.type === 'attempt.start') attempts.count++;
        },
      ],
    },
  );
  const client = clients(spillway)('payments');
  return {
    async pay(account: string, amount: number): Promise<Purchase> {
      attempts.count = 0;
      const headers = { 'x-merchant': 'shop-1' };
      const payment = await client
        .post('payments', { json: { account, amount }, headers, idempotencyKey: true })
        .json<Payment>();
      return { payment, attempts: attempts.count };
    },
    close: async () => spillway.close(),
  };
}
