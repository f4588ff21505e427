export { htmlReport } from './html/html-report.js';
export type { StepCounts, Transition } from './measure/dependency-stats.js';
export type { Recovery } from './measure/recovery.js';
export type {
  DependencyReport,
  Expectation,
  Percentiles,
  ServiceReport,
  SimulationReport,
  TrafficReport,
  VariantReport,
  Wasted,
} from './measure/report.js';
export type { DependencyLine, ServiceLine, Timeline, TrafficLine } from './measure/timeline.js';
export { PRESETS } from './presets/presets.js';
export { type Progress, type SimulateOptions, simulate } from './run/simulate.js';
export type { ScenarioIssue } from './scenario/issues.js';
export { parseTrace } from './scenario/trace.js';
export type {
  Arrivals,
  Fault,
  Latency,
  Restart,
  Scenario,
  ScenarioPatch,
  Service,
  ServiceCall,
  Traffic,
} from './scenario/types.js';
export type { Variation } from './scenario/variants.js';
export { SimulationClock } from './time/simulation-clock.js';
