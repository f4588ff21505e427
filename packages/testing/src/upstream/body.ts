/** The body of a scripted answer: text and bytes as they are, anything else as JSON, by default the status. */
export function bodyOf({ status = 200, body = { status } }: Answer): Buffer {
  if (isBodiless(status)) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
}

/** Goes out as JSON. */
export function isJson({ status = 200, body }: Answer): boolean {
  return !isBodiless(status) && typeof body !== 'string' && !(body instanceof Uint8Array);
}

export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** How much of a body of `length` bytes goes out: so many bytes, or with `true` half, rounded down. */
export function partOf(length: number, truncate: number | true): number {
  return truncate === true ? Math.floor(length / 2) : Math.min(truncate, length);
}

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
}
