import type { RequestSpillway } from './request-spillway.js';

declare module 'koa' {
  interface ExtendableContext {
    /** Deadline, clients and dependencies of this request. There once `koaSpillway` has run. */
    spillway: RequestSpillway;
  }
}
