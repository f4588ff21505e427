export { type ManualClock, type ManualClockOptions, manualClock } from './clock/manual-clock.js';
export type {
  FlakyHit,
  FlakyPlan,
  FlakyReply,
  FlakyScript,
  FlakySpan,
  FlakyStep,
} from './upstream/flaky-script.js';
export {
  type FlakyConnections,
  type FlakyServer,
  type FlakyServerOptions,
  flakyServer,
} from './upstream/flaky-server.js';
