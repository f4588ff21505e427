/**
 * Makes one of got's errors safe to reach a log or a default error handler, without changing what it is: its message
 * and stack lose the URL's query and credentials and the stack its frames, its options (headers, body) no longer
 * enumerate, and inspecting or serialising it shows method, origin, path and status. Nothing it carries is removed.
 */
export function sealError(error: unknown): void {
  if (typeof error !== 'object' || error === null || !('options' in error)) return;
  for (const name of ENUMERATED) if (name in error) hide(error, name, (error as GotError)[name]);
  // got hangs its options on programmers' errors too: those keep their stack
  if (!isGotError(error)) return;
  const url = urlOf(error);
  const message = url === undefined ? error.message : withoutSecrets(error.message, url);
  hide(error, 'message', message);
  hide(error, 'stack', `${error.name}: ${message}`);
  hide(error, 'toJSON', () => describe(error));
  hide(error, Symbol.for('nodejs.util.inspect.custom'), () => inspect(error));
}

const ENUMERATED = ['options', 'input', 'timings'] as const;

/** An HTTPError that nobody handles is this server's 502: the dependency's status is not ours to pass on. */
export function markUnhandled(error: unknown): void {
  if (typeof error !== 'object' || error === null) return;
  hide(error, 'status', 502);
  hide(error, 'statusCode', 502);
  hide(error, 'expose', false);
}

interface GotError extends Error {
  readonly code: string;
  readonly options?: { readonly url?: unknown; readonly method?: string };
  readonly input?: unknown;
  readonly timings?: unknown;
  readonly request?: { readonly requestUrl?: unknown };
  readonly response?: { readonly statusCode?: number; readonly url?: string };
}

function isGotError(error: object): error is GotError {
  const { name, message, code } = error as Partial<GotError>;
  return typeof name === 'string' && typeof message === 'string' && typeof code === 'string';
}

function urlOf(error: GotError): URL | undefined {
  const url = error.options?.url;
  return url instanceof URL ? url : undefined;
}

/** Every mention of a URL in the text, cut to origin and path. */
function withoutSecrets(text: string, url: URL): string {
  const bare = url.origin + url.pathname;
  const exact = text.split(url.href).join(bare);
  return exact.replace(/\bhttps?:\/\/[^\s"'<>]+/g, (mention) => {
    try {
      const { origin, pathname } = new URL(mention);
      return origin + pathname;
    } catch {
      return bare;
    }
  });
}

function describe(error: GotError): Record<string, unknown> {
  const url = urlOf(error);
  const json: Record<string, unknown> = { name: error.name, code: error.code, message: error.message };
  const status = error.response?.statusCode;
  if (status !== undefined) json['responseStatus'] = status;
  if (error.options?.method !== undefined) json['method'] = error.options.method;
  if (url !== undefined) Object.assign(json, { origin: url.origin, path: url.pathname });
  return json;
}

function inspect(error: GotError): string {
  const { name, code, message, ...rest } = describe(error);
  return `${name} [${code}]: ${message} ${JSON.stringify(rest)}`;
}

function hide(target: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: false, writable: true, configurable: true });
}
