import { formatDuration, group } from '../config/durations.js';
import type { ResolvedBackoff, ResolvedBreaker, ResolvedDependency } from '../config/resolved.js';

/** Mermaid state diagrams of one dependency. */
export interface Diagrams {
  readonly call: string;
  /** undefined where the configuration leaves the breaker out. */
  readonly breaker: string | undefined;
}

export function diagramsOf(options: ResolvedDependency): Diagrams {
  return {
    call: callDiagram(options),
    breaker: options.breaker === undefined ? undefined : breakerDiagram(options.breaker),
  };
}

function callDiagram({ attempt, retry, deadlineMs, fallback }: ResolvedDependency): string {
  const attempts = retry?.attempts ?? 1;
  const lines = [
    '[*] --> idle',
    `idle --> attempting: call, at most ${formatDuration(deadlineMs)} in all`,
    'attempting --> succeeded: answered',
    `attempting --> failed: not to be repeated, or ${group(attempts)} of ${group(attempts)} attempts made`,
    `note right of attempting: each attempt at most ${formatDuration(attempt.timeoutMs)}`,
  ];
  if (retry !== undefined && attempts > 1) {
    lines.push(
      `attempting --> retrying: failed, attempts, budget and time left`,
      `retrying --> attempting: after ${waitWords(retry.backoff)}`,
      'retrying --> failed: cut by cancellation or drain',
    );
  }
  if (fallback !== undefined) lines.push('failed --> succeeded: fallback answers');
  lines.push('succeeded --> [*]', 'failed --> [*]');
  return diagram(lines);
}

function waitWords(backoff: ResolvedBackoff | ((context: never) => number)): string {
  if (typeof backoff === 'function') return 'what the backoff function says';
  const { baseMs, factor, capMs, jitter } = backoff;
  const growth = `${formatDuration(baseMs)} x ${group(factor)} per retry, at most ${formatDuration(capMs)}`;
  return jitter === 'none' ? growth : `${growth}, ${jitter} jitter`;
}

function breakerDiagram(breaker: ResolvedBreaker): string {
  const { openForMs, maxOpenForMs, probes } = breaker;
  const reopen = maxOpenForMs > openForMs ? `, longer each time up to ${formatDuration(maxOpenForMs)}` : '';
  const isAllGood = probes.rate === undefined;
  return diagram([
    '[*] --> closed',
    `closed --> open: ${tripWords(breaker)}`,
    `open --> halfOpen: after ${formatDuration(openForMs)}${reopen}`,
    `halfOpen --> closed: ${isAllGood ? `${group(probes.count)} good probes` : `fewer than ${percent(probes.rate)} of ${group(probes.count)} probes bad`}`,
    `halfOpen --> open: ${isAllGood ? 'a failed or slow probe' : `${percent(probes.rate)} of ${group(probes.count)} probes bad`}`,
  ]);
}

function tripWords({ window, minCalls, failureRate, consecutive, slow }: ResolvedBreaker): string {
  const span = 'ms' in window ? formatDuration(window.ms) : `${group(window.calls)} calls`;
  const rules: string[] = [];
  if (failureRate !== undefined) {
    rules.push(`${percent(failureRate)} failed of ${group(minCalls)} or more calls in ${span}`);
  }
  if (consecutive !== undefined) rules.push(`${group(consecutive)} failures in a row`);
  if (slow !== undefined) rules.push(`${percent(slow.rate)} slower than ${formatDuration(slow.overMs)}`);
  return rules.length === 0 ? 'never by itself' : rules.join(', or ');
}

function percent(share: number | undefined): string {
  return `${group((share ?? 0) * 100)} %`;
}

function diagram(lines: readonly string[]): string {
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`)].join('\n');
}
