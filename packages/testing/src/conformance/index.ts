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
