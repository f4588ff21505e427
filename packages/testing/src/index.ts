export { type DependencyName, type HasBreakers, withForcedOpen } from './breaker/with-forced-open.js';
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
export {
  type ScriptedReply,
  type ScriptedStep,
  type ScriptedTransport,
  type ScriptedTransportOptions,
  scriptedTransport,
  type TransportScript,
} from './upstream/scripted-transport.js';
