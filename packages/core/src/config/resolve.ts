import { DEFAULTS } from './defaults.js';
import { toMs } from './durations.js';
import { writtenDependency } from './merge.js';
import { resolveDependency } from './resolve-dependency.js';
import { resolveInbound } from './resolve-inbound.js';
import type { ResolvedConfig, ResolvedDependency } from './resolved.js';
import type { Duration, SpillwayConfig } from './types.js';
import { validateConfig } from './validate.js';

/**
 * Validates a configuration and turns it into what runs: `defaults` merged under each dependency, durations in ms,
 * every default filled in and trimmed to what was written. Written values are never changed.
 * @throws ERR_CONFIG naming every wrong option at once; `details.issues` lists them
 */
export function resolveConfig(config: SpillwayConfig): ResolvedConfig {
  validateConfig(config);
  const dependencies = new Map<string, ResolvedDependency>();
  for (const name of Object.keys(config.dependencies ?? {})) {
    dependencies.set(name, resolveDependency(writtenDependency(config, name)));
  }
  return Object.freeze({
    service: config.service ?? DEFAULTS.service,
    inbound: resolveInbound(config.inbound ?? {}),
    dependencies,
    idempotencySecret: config.idempotency?.secret,
    ignoredFindings: Object.freeze([...(config.check?.ignore ?? [])]),
    strict: config.strict ?? true,
    faults: config.faults ?? 'outside-production',
  });
}

/**
 * Milliseconds of a call's own `deadline` option. A number of 0 or less, as a caller computes it when its time is
 * up, is 0: nothing is left.
 * @throws ERR_CONFIG when it is no duration
 */
export function resolveCallDeadline(deadline: Duration): number {
  return typeof deadline === 'number' && deadline > Number.NEGATIVE_INFINITY && deadline <= 0
    ? 0
    : toMs(deadline, 'deadline');
}
