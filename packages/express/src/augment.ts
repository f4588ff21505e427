import type { RequestSpillway } from './request-spillway.js';

declare global {
  namespace Express {
    interface Request {
      /** Deadline, clients and dependencies of this request. There once `expressSpillway` has run. */
      spillway: RequestSpillway;
    }
  }
}
