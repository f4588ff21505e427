import { FIGURES, instrument } from '@spillway/core/instruments';

/** What each figure on the page means, in the words of the one table that metrics and reference page go by. */
export function helpTexts(): Readonly<Record<string, string>> {
  return {
    breaker: `${help('spillway_breaker_state')} Closed lets calls pass; open refuses them until its time is over; half-open lets a few probes pass and judges by them.`,
    operations: `Per second. ${help('spillway_operations_total')}`,
    attempts: `Per second. ${help('spillway_attempts_total')}`,
    failed: 'Operations per second that failed, or were refused before an attempt.',
    amplification: `${figure('amplification')} Over the last minute.`,
    outcomes:
      'What the users of the operations of the last minute saw: the answer (success), what a fallback gave (degraded), an error (failed), or our own refusal (refused).',
    p50: `${help('spillway_operation_duration_seconds')} Half of them took less.`,
    p99: `${help('spillway_operation_duration_seconds')} All but one in a hundred took less.`,
    budget: `Retries that the budget would still grant now. ${help('spillway_retry_budget_allowed')}`,
    slots: `${help('spillway_bulkhead_in_use')} ${help('spillway_bulkhead_queued')}`,
    detached: help('spillway_bulkhead_detached'),
    inFlight: help('spillway_operations_in_flight'),
    faults: help('spillway_faults_injected_total'),
    refusals:
      'Refusals and retries given up in the last minute, by reason, whether or not a fallback mended them. Each reason leads to what it means.',
    limit: help('spillway_inbound_limit'),
    inboundInFlight: help('spillway_inbound_in_flight'),
    inboundQueued: help('spillway_inbound_queued'),
    admitted: 'Requests per second that were let in.',
    shed: 'Requests of the last minute that were turned away, by their class of criticality. The least critical go first.',
    left: `${help('spillway_inbound_deadline_left_seconds')} Shown is the time that half of them had at least, and what one in ten did not have.`,
  };
}

function help(name: string): string {
  return instrument(name).help;
}

function figure(id: string): string {
  const found = FIGURES.find((row) => row.id === id);
  if (found === undefined) throw new RangeError(`no figure ${id} in the table of figures`);
  return found.help;
}
