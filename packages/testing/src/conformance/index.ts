// before all that loads Spillway: it counts what that creates
import './created-hooks.js';

export type {
  AnswerBody,
  Exchange,
  ExchangeHandler,
  ExchangeSpillway,
  RunningServer,
  ServerAdapter,
  ServerPlan,
  SuiteRoute,
} from './adapter.js';
export type { Carriers } from './contexts.js';
export { describeServer, type SuiteOptions } from './describe-server.js';
export { itCreatesNoHook } from './no-hooks.js';
