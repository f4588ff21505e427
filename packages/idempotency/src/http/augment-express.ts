import type { RequestIdempotency } from './exchange.js';

declare global {
  namespace Express {
    interface Request {
      /** Key, checkpoints and transaction of this request. There once `idempotent` has run on one that has a key. */
      idempotency?: RequestIdempotency;
    }
  }
}
