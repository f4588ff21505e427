import type { IdempotencyEvent } from '@spillway/core';

export type IdempotencyObserver = (event: IdempotencyEvent) => void;
