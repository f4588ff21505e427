export type { AnyRegistry } from './collector.js';
export { type PrometheusMetrics, type PrometheusOptions, prometheus } from './prometheus.js';
export type { MeasuredSpillway } from './source.js';
