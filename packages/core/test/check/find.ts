import { expect } from '@jest/globals';
import { check } from '../../src/check/check.js';
import type { Finding } from '../../src/check/finding.js';
import type { CheckInput, TrafficDeclaration } from '../../src/check/input.js';
import { resolveConfig } from '../../src/config/resolve.js';
import type { DefaultsConfig, DependencyConfig, SpillwayConfig } from '../../src/config/types.js';

/** All findings for a configuration. */
export function findAll(config: SpillwayConfig, input?: CheckInput): readonly Finding[] {
  return check(config, resolveConfig(config), input);
}

/** All findings for one dependency called quotes. */
export function findFor(
  quotes: DependencyConfig,
  traffic?: TrafficDeclaration,
  defaults: DefaultsConfig = {},
): readonly Finding[] {
  return findAll(
    { defaults, dependencies: { quotes } },
    traffic === undefined ? {} : { traffic: { quotes: traffic } },
  );
}

/** The finding of one rule; `undefined` when it found nothing. */
export function ofRule(id: string, findings: readonly Finding[]): Finding | undefined {
  const found = findings.filter((finding) => finding.id === id);
  if (found.length > 1) throw new Error(`${id} found ${found.length} times`);
  return found[0];
}

/** Ids and severities, for a look at all of them. */
export function ids(findings: readonly Finding[]): string[] {
  return findings.map(({ id, severity }) => `${id} ${severity}`);
}

/** One expectation of a rule about a dependency. */
export interface Row {
  readonly id: string;
  readonly severity: 'warning' | 'info' | undefined;
  readonly options: DependencyConfig;
  readonly traffic?: TrafficDeclaration;
  /** What the message says; of an `undefined` severity nothing is said. */
  readonly says?: string;
  readonly fix?: string;
}

/** Holds one row: the rule speaks with that severity and those words, or not at all. */
export function holdsRow({ id, severity, options, traffic, says, fix }: Row): void {
  const finding = ofRule(id, findFor(options, traffic));
  expect(finding?.severity).toBe(severity);
  if (severity === undefined) return;
  expect(finding?.message).toContain(says ?? '');
  expect(finding?.fix).toContain(fix ?? '.');
  if (finding?.arithmetic !== undefined) expect(finding.arithmetic).toMatch(/\d/);
}
