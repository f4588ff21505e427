/** A figure made of several instruments. */
export interface Figure {
  readonly id: string;
  readonly legend: string;
  readonly help: string;
  /** In PromQL, per dependency, over five minutes. */
  readonly promql: string;
}

const PER = 'sum by (spillway, dependency)';

function rate(series: string): string {
  return `${PER} (rate(${series}[5m]))`;
}

/** What on-call engineers ask for, made of instruments. */
export const FIGURES: readonly Figure[] = [
  {
    id: 'amplification',
    legend: 'amplification',
    help: 'Attempts per operation: what the dependency has to bear for one thing a user wanted. Near 1 when all is well, below 1 while the breaker refuses.',
    promql: `(${rate('spillway_attempts_total')}) / (${rate('spillway_operations_total')})`,
  },
  {
    id: 'recovery-rate',
    legend: 'recovery rate',
    help: 'Share of retried operations that succeeded in the end. High amplification with a low recovery rate is a retry storm.',
    promql: `(${rate('spillway_operations_retried_total{outcome="success"}')}) / (${rate('spillway_operations_retried_total')})`,
  },
  {
    id: 'success-share',
    legend: 'success',
    help: 'Share of operations that succeeded, without the degraded ones. Cancelled ones are left out.',
    promql: `(${rate('spillway_operations_total{outcome="success"}')}) / (${rate('spillway_operations_total{outcome!="cancelled"}')})`,
  },
  {
    id: 'budget-use',
    legend: 'budget used',
    help: 'Retries granted as a share of those the budget allows.',
    promql:
      'sum by (spillway, dependency) (spillway_retry_budget_granted) / sum by (spillway, dependency) (spillway_retry_budget_allowed)',
  },
  {
    id: 'wasted-share',
    legend: 'wasted work',
    help: 'Attempts whose work ended after they had been given up, as a share of all.',
    promql: `(${rate('spillway_attempts_wasted_total')}) / (${rate('spillway_attempts_total')})`,
  },
];
