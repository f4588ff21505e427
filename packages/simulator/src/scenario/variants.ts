import { issueAt, scenarioError } from './issues.js';
import type { ScenarioPatch } from './types.js';

/** One value of one option, as `--vary shop.quotes.retry.attempts=1,2,3` gives several. */
export interface Variation {
  readonly path: string;
  readonly values: readonly unknown[];
}

/** The written scenario of each variant by name; `only` (the scenario itself) when there are none. */
export function writtenVariants(
  scenario: Record<string, unknown>,
  vary: readonly Variation[] = [],
): Map<string, Record<string, unknown>> {
  const { variants, ...base } = scenario;
  const named = Object.entries(patchesOf(variants));
  let result = new Map<string, Record<string, unknown>>(
    named.length === 0 ? [['only', base]] : named.map(([name, patch]) => [name, merged(base, patch)]),
  );
  for (const variation of vary) result = crossed(result, variation);
  return result;
}

function patchesOf(variants: unknown): Record<string, ScenarioPatch> {
  if (variants === undefined) return {};
  const fine =
    isPlain(variants) &&
    Object.keys(variants).length > 0 &&
    Object.values(variants).every((patch) => isPlain(patch));
  if (fine) return variants as Record<string, ScenarioPatch>;
  throw scenarioError([issueAt(['variants'], variants, 'an object of parts of a scenario by name')]);
}

/** Every variant with every value. */
function crossed(
  variants: Map<string, Record<string, unknown>>,
  { path, values }: Variation,
): Map<string, Record<string, unknown>> {
  const result = new Map<string, Record<string, unknown>>();
  for (const [name, scenario] of variants) {
    for (const value of values) {
      const label = `${path}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
      result.set(name === 'only' ? label : `${name} ${label}`, withValue(scenario, path, value));
    }
  }
  return result;
}

/**
 * The scenario with one value changed. A path starts at the scenario (`services.shop.capacity`, `duration`), at a
 * service (`shop.latency`) or at a dependency of a service (`shop.quotes.retry.attempts`).
 * @throws ERR_CONFIG when it starts nowhere
 */
export function withValue(
  scenario: Record<string, unknown>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const keys = fullPath(scenario, path.split('.'));
  const patch = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return merged(scenario, patch as ScenarioPatch);
}

const ROOTS = new Set([
  'duration',
  'settle',
  'seed',
  'measure',
  'step',
  'services',
  'traffic',
  'focus',
  'expect',
]);

function fullPath(scenario: Record<string, unknown>, keys: readonly string[]): readonly string[] {
  const [first = '', second = '', ...rest] = keys;
  if (ROOTS.has(first)) return keys;
  const services = isPlain(scenario['services']) ? scenario['services'] : {};
  const service = services[first];
  if (!isPlain(service)) {
    const allowed = `a path from the scenario, or from one of its services: ${Object.keys(services).join(', ')}`;
    throw scenarioError([issueAt(['vary'], keys.join('.'), allowed)]);
  }
  const spillway = isPlain(service['spillway']) ? service['spillway'] : {};
  const dependencies = isPlain(spillway['dependencies']) ? spillway['dependencies'] : {};
  if (!Object.hasOwn(dependencies, second)) return ['services', ...keys];
  return ['services', first, 'spillway', 'dependencies', second, ...rest];
}

/** `patch` over `base`: plain objects key by key, everything else replaces. Neither is changed. */
export function merged(base: Record<string, unknown>, patch: ScenarioPatch): Record<string, unknown> {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    const below = result[key];
    result[key] = isPlain(below) && isPlain(value) ? merged(below, value) : value;
  }
  return result;
}

export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
