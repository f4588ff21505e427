import type { AttemptContext, SpillwayEvent } from '@spillway/core';
import type { DeliveryAnswer } from './delivery.js';

/** What the outbox needs of a spillway. */
export interface OutboxSpillway {
  dependency(name: string): {
    readonly options: { readonly baseUrl?: string | URL | undefined };
    call(
      work: (attempt: AttemptContext) => Promise<DeliveryAnswer>,
      options: {
        readonly idempotencyKey: string;
        readonly fallback: false;
        readonly operation: string;
        readonly signal: AbortSignal;
      },
    ): Promise<DeliveryAnswer>;
  };
  subscribe(observer: (event: SpillwayEvent) => void): () => void;
}
