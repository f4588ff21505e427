import { misuse } from './misuse.js';
import { HOOKS, INSTEAD, MERGED, PASSED, PER_REQUEST, POLICY } from './option-names.js';

/** Where options were written, which decides what may be among them. */
export type OptionsOf = 'config' | 'extend' | 'request' | 'stream';

type Options = Readonly<Record<string, unknown>>;

/**
 * Refuses options that a client does not take, with what to use in their place.
 * @throws SpillwayError ERR_CONFIG
 */
export function checkOptions(dependency: string, where: OptionsOf, options: Options): void {
  for (const name in options) {
    if (options[name] === undefined) continue;
    if (!isTaken(where, name)) throw misuse(dependency, refusal(where, name));
  }
  const { hooks, retry } = options;
  if (hooks !== undefined) checkHooks(dependency, hooks);
  if (retry !== undefined) checkRetry(dependency, retry);
}

/** The options that got itself is given. */
export function passedOf(options: Options): Record<string, unknown> | undefined {
  let passed: Record<string, unknown> | undefined;
  for (const name in options) {
    if (!PASSED.has(name) || options[name] === undefined) continue;
    passed ??= {};
    passed[name] = options[name];
  }
  return passed;
}

function isTaken(where: OptionsOf, name: string): boolean {
  if (PASSED.has(name) || MERGED.has(name)) return true;
  if (where === 'config') return false;
  if (POLICY.has(name)) return name !== 'fallback' || where !== 'stream';
  return where !== 'extend' && PER_REQUEST.has(name);
}

function refusal(where: OptionsOf, name: string): string {
  const at = where === 'config' ? `client.${name}` : name;
  const instead = INSTEAD[name];
  if (instead !== undefined) return `Option '${at}' is not taken by a client: ${instead}`;
  if (where === 'config' && POLICY.has(name))
    return `Option '${at}' stands one level up, beside 'client', or per request`;
  if (PER_REQUEST.has(name)) return `Option '${at}' belongs to a single request`;
  if (where === 'stream' && name === 'fallback')
    return "Option 'fallback' cannot stand in for a stream: handle its 'error' event";
  const known = [...PASSED, ...MERGED, ...(where === 'config' ? [] : [...POLICY, ...PER_REQUEST])];
  return `Option '${at}' is unknown; a client takes: ${known.sort().join(', ')}`;
}

function checkHooks(dependency: string, hooks: unknown): void {
  if (typeof hooks !== 'object' || hooks === null)
    throw misuse(dependency, `Option 'hooks' is an object, not ${String(hooks)}`);
  for (const name in hooks) {
    if (HOOKS.has(name)) continue;
    const message = `Hook '${name}' is not taken by a client: it could change or resend what the policy has judged; taken are ${[...HOOKS].join(' and ')}`;
    throw misuse(dependency, message);
  }
}

/** got's own `retry` object would be a second loop inside ours. */
function checkRetry(dependency: string, retry: unknown): void {
  if (retry === false) return;
  if (typeof retry !== 'object' || retry === null) {
    throw misuse(dependency, `Option 'retry' is false or { attempts }, not ${String(retry)}`);
  }
  for (const name in retry) {
    if (name === 'attempts') continue;
    throw misuse(
      dependency,
      `Option 'retry.${name}' is not taken per request: use retry: { attempts }, or 'retry' of the dependency`,
    );
  }
  const { attempts } = retry as { attempts?: unknown };
  if (attempts === undefined) return;
  if (!Number.isInteger(attempts) || Number(attempts) < 1 || Number(attempts) > 100) {
    throw misuse(
      dependency,
      `Option 'retry.attempts' is a whole number from 1 to 100, not ${String(attempts)}`,
    );
  }
}
