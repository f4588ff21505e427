import type { Attributes } from '@opentelemetry/api';
import type { EventOf, Subject } from '@spillway/core';

/** Methods of RFC 9110, PATCH and QUERY; a bounded set, as the conventions ask for. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
  'QUERY',
]);

/** What the attributes of attempts may show beyond what is safe for everyone. */
export interface Shown {
  /** `url.full`: with the ids in its path, but without query and credentials. */
  readonly url: boolean;
}

/** Name of an operation's span: bounded, whatever methods callers make up. */
export function operationName({ dependency, operation, subject }: EventOf<'operation.start'>): string {
  const isOddMethod = operation === subject.method && !METHODS.has(operation);
  return `${dependency} ${isOddMethod ? 'HTTP' : operation}`;
}

/** Name of an attempt's span: the method, as the conventions have it for clients; of a function, what it is called. */
export function attemptName({ operation, subject }: EventOf<'operation.start'>): string {
  const { method } = subject;
  if (method === undefined) return operation;
  return METHODS.has(method) ? method : 'HTTP';
}

/** Attributes of an attempt that samplers may want to see, by the semantic conventions of HTTP clients (1.44). */
export function attemptAttributes(
  { dependency, attempt }: EventOf<'attempt.start'>,
  subject: Subject,
  shown: Shown,
): Attributes {
  const attributes: Attributes = { 'spillway.dependency': dependency, 'spillway.attempt': attempt };
  if (attempt > 1) attributes['http.request.resend_count'] = attempt - 1;
  const { method, origin, path } = subject;
  if (method === undefined || origin === undefined) return attributes;
  if (METHODS.has(method)) attributes['http.request.method'] = method;
  else {
    attributes['http.request.method'] = '_OTHER';
    attributes['http.request.method_original'] = method;
  }
  const { hostname, port, protocol } = new URL(origin);
  attributes['server.address'] = hostname;
  attributes['server.port'] = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  if (shown.url) attributes['url.full'] = origin + (path ?? '');
  return attributes;
}

/** `error.type` of an attempt; undefined when it is none: a good answer, or a caller that went away. */
export function attemptError({ kind, status }: EventOf<'attempt.end'>): string | undefined {
  if (status !== undefined && status >= 400) return String(status);
  return kind === 'answer' || kind === 'cancelled' ? undefined : kind;
}

/** The same of an operation: the code of its error. */
export function operationError({ outcome, code }: EventOf<'operation.end'>): string | undefined {
  return outcome === 'failed' || outcome === 'refused' ? (code ?? '_OTHER') : undefined;
}
