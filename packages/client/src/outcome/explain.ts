import { HTTPError, type Response } from 'got';
import type { Exchange } from '../wire/exchange.js';
import { sealError } from './seal-error.js';

/** Reads the error that ended an attempt, and makes it safe to hand on. */
export function explain(error: unknown, exchange: Exchange): unknown {
  exchange.failed(error);
  const told = exchange.kind === 'misuse' ? itself(error) : exchange.cutShort ? httpError(error) : error;
  sealError(told);
  return told;
}

/** A programmer's error reaches the caller as it is, without got around it. */
function itself(error: unknown): unknown {
  const { name, cause } = (error ?? {}) as { name?: unknown; cause?: unknown };
  return name === 'RequestError' && cause instanceof Object && 'stack' in cause ? cause : error;
}

/** We ended the answer ourselves because it was too long: what it was is its status. */
function httpError(error: unknown): unknown {
  const response = (error as { response?: Response } | null)?.response;
  return response === undefined || (error as Error).name === 'HTTPError' ? error : new HTTPError(response);
}
