import { type SpillwayError, spillwayError } from '@spillway/core';

/** An option that makes no sense, told by whom it was given to. */
export function misuse(caller: string, message: string): SpillwayError {
  return spillwayError('ERR_CONFIG', `${caller}: ${message}`);
}

/**
 * A misspelt option would be left out in silence.
 * @throws SpillwayError ERR_CONFIG when `options` is no object, or has one that is none of `known`
 */
export function checkNames(caller: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw misuse(caller, `options: ${String(options)} is no object; give one with ${known.join(', ')}`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw misuse(caller, `${unknown} is no option; there are ${known.join(', ')}`);
}

/** @throws SpillwayError ERR_CONFIG when `value` is no object with the method `method` */
export function checkMethod(caller: string, option: string, value: unknown, method: string): void {
  const isObject = typeof value === 'object' && value !== null;
  if (isObject && typeof (value as Record<string, unknown>)[method] === 'function') return;
  throw misuse(caller, `${option}: ${isObject ? 'it' : String(value)} has no ${method}(); give one that has`);
}
