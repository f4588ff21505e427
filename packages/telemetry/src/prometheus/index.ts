export type { MeasuredSpillway } from '../figures/source.js';
export type { AnyRegistry } from './collector.js';
export { type PrometheusMetrics, type PrometheusOptions, prometheus } from './prometheus.js';
