import { type SpillwayError, spillwayError } from '@spillway/core';

/** A mistake in how a client is used: nothing was sent. */
export function misuse(dependency: string, message: string): SpillwayError {
  return spillwayError('ERR_CONFIG', message, { dependency, sent: 'no' });
}
