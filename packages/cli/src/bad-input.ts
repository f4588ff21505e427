import { isSpillwayError } from '@spillway/core';

/** Something the user gave cannot be used. Printed without a stack; the exit code is 2. */
export class BadInput extends Error {
  override readonly name: string = 'BadInput';
}

/** What to print for an error that came up while a command ran; undefined for a bug of ours. */
export function inputMessage(error: unknown): string | undefined {
  if (error instanceof BadInput) return error.message;
  return isSpillwayError(error, 'ERR_CONFIG') ? error.message : undefined;
}

/** One line of an error that somebody else threw. */
export function firstLine(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return String(message).split('\n', 1)[0] ?? '';
}
