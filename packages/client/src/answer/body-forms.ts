import { Buffer } from 'node:buffer';
import { ParseError, type Response } from 'got';
import type { DegradedResponse } from '../types.js';

export type BodyForm = 'json' | 'text' | 'buffer';

/** The body of got's response in the form asked for. An empty one is '' as JSON too, as got has it. */
export function readBody(response: Response, form: BodyForm, parseJson: (text: string) => unknown): unknown {
  const { body } = response;
  if (form === 'buffer') return toBuffer(response.rawBody);
  const { responseType, encoding } = response.request.options;
  if (form === 'json' && responseType === 'json') return body;
  const text =
    typeof body === 'string' && responseType === 'text'
      ? body
      : toBuffer(response.rawBody).toString(encoding);
  if (form === 'text') return text;
  try {
    return text === '' ? '' : parseJson(text);
  } catch (error) {
    throw unparsable(error, response);
  }
}

/** A fallback's value as text. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? toBuffer(value).toString() : (JSON.stringify(value) ?? '');
}

/** A fallback's value as bytes. */
export function asBytes(value: unknown): Buffer {
  return value instanceof Uint8Array ? toBuffer(value) : Buffer.from(asText(value));
}

/** A fallback's value as a bare call's answer. */
export function degraded(value: unknown): DegradedResponse<unknown> {
  return { statusCode: 200, body: value, degraded: true };
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** got's ParseError, whose message does not quote the body. */
export function unparsable(error: unknown, response: Response): ParseError {
  const name =
    error instanceof Error || typeof (error as Error | null)?.name === 'string'
      ? (error as Error).name
      : 'Error';
  return new ParseError(
    { name, message: `The body of the ${response.statusCode} answer is not what was asked for` },
    response,
  );
}
