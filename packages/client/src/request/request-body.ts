import { misuse } from './misuse.js';

/** The body of a request, as every attempt gets it. */
export interface RequestBody {
  /** What got is given; undefined when there is none, or when `make` makes one. */
  readonly value: unknown;
  /** Makes one for each attempt (C-042). */
  readonly make: (() => unknown) | undefined;
  /** False for what can be read once: it is sent once (C-041). */
  readonly replayable: boolean;
  readonly contentType: string | undefined;
}

export const NO_BODY: RequestBody = {
  value: undefined,
  make: undefined,
  replayable: true,
  contentType: undefined,
};

/** What is written to a stream: it can be sent once. */
export const WRITTEN_BODY: RequestBody = { ...NO_BODY, replayable: false };

interface BodyOptions {
  readonly body?: unknown;
  readonly json?: unknown;
  readonly form?: unknown;
}

/**
 * Reads `body`, `json` and `form`. JSON and forms become text here, once: each attempt sends the same bytes, whatever
 * happens to the object meanwhile.
 * @throws SpillwayError ERR_CONFIG when more than one is given
 */
export function requestBody(
  dependency: string,
  options: BodyOptions,
  stringify: (value: unknown) => string,
): RequestBody {
  const { body, json, form } = options;
  if (body === undefined && json === undefined && form === undefined) return NO_BODY;
  if (Number(body !== undefined) + Number(json !== undefined) + Number(form !== undefined) > 1) {
    throw misuse(dependency, "Options 'body', 'json' and 'form' exclude each other");
  }
  if (json !== undefined) return plain(stringify(json), 'application/json');
  if (form !== undefined) return plain(formText(form), FORM);
  if (typeof body === 'function') return { ...NO_BODY, make: body as () => unknown };
  if (body instanceof URLSearchParams) return plain(body.toString(), FORM);
  if (typeof body === 'string' || ArrayBuffer.isView(body)) return plain(body, undefined);
  return { ...NO_BODY, value: body, replayable: false };
}

const FORM = 'application/x-www-form-urlencoded';

function plain(value: unknown, contentType: string | undefined): RequestBody {
  return { value, make: undefined, replayable: true, contentType };
}

function formText(form: unknown): string {
  return new URLSearchParams(form as Record<string, string>).toString();
}
