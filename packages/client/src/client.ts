import { type Call, type Dependency, failure, type Outcome } from '@spillway/core';
import { type BodyReader, RequestPromise } from './answer/client-promise.js';
import { ClientStream } from './answer/client-stream.js';
import { RequestOperation } from './answer/request-operation.js';
import { StreamOperation } from './answer/stream-operation.js';
import { HttpRequest } from './request/http-request.js';
import { WRITTEN_BODY } from './request/request-body.js';
import type { Upstream } from './request/upstream.js';
import type {
  Client,
  ClientPromise,
  ExtendOptions,
  RequestOptions,
  StreamMethods,
  StreamOptions,
} from './types.js';

/** Where the requests of a client run, and for which call. */
export interface ClientHome {
  readonly upstream: Upstream;
  readonly dependency: Dependency<unknown>;
  /** The call at hand: a parent given, or the ambient one. */
  readonly parent: () => Call | undefined;
}

type Target = string | URL;

/** Makes the callable client of one dependency. */
export function makeClient<A>(home: ClientHome): Client<A> {
  const request = (method: string | undefined) => {
    return <B>(url: Target, options?: RequestOptions<B>) => send<B>(home, method, url, options);
  };
  const client = Object.assign(request(undefined), {
    get: request('GET'),
    post: request('POST'),
    put: request('PUT'),
    patch: request('PATCH'),
    delete: request('DELETE'),
    head: (url: Target, options?: RequestOptions<never>) => send<never>(home, 'HEAD', url, options),
    extend: <B>(options: ExtendOptions<B>) =>
      makeClient<B>({ ...home, upstream: home.upstream.extend({ ...options }) }),
  });
  let stream: StreamMethods | undefined;
  const lazy = { get: () => (stream ??= streamMethods(home)), enumerable: true };
  return Object.defineProperty(client, 'stream', lazy) as typeof client & { stream: StreamMethods };
}

function send<B>(
  home: ClientHome,
  method: string | undefined,
  url: Target,
  options?: RequestOptions<B>,
): ClientPromise<B> {
  const { upstream, dependency } = home;
  try {
    const request = new HttpRequest(upstream, 'request', method, url, record(options), home.parent());
    const operation = new RequestOperation(request);
    return new RequestPromise<B>(operation, dependency.run(operation));
  } catch (error) {
    return new RequestPromise<B>(NOTHING_SENT, Promise.resolve(failure(error)));
  }
}

function streamMethods(home: ClientHome): StreamMethods {
  const open = (method: string | undefined) => (url: Target, options?: StreamOptions) =>
    sendStream(home, method, url, options);
  return Object.assign(open(undefined), {
    get: open('GET'),
    post: open('POST'),
    put: open('PUT'),
    patch: open('PATCH'),
    delete: open('DELETE'),
    head: open('HEAD'),
  });
}

function sendStream(
  home: ClientHome,
  method: string | undefined,
  url: Target,
  options?: StreamOptions,
): ClientStream {
  const { upstream, dependency } = home;
  try {
    const request = new HttpRequest(upstream, 'stream', method, url, record(options), home.parent());
    const stream = new ClientStream(request.body === WRITTEN_BODY);
    const operation = new StreamOperation(request, stream);
    dependency.run(operation).then((outcome: Outcome<unknown>) => operation.settle(outcome));
    return stream;
  } catch (error) {
    return new ClientStream(false).destroy(error as Error);
  }
}

/** For requests that were refused before they became an operation. */
const NOTHING_SENT: BodyReader = {
  expectJson() {},
  read(outcome) {
    throw outcome.error;
  },
};

function record(options: object | undefined): Readonly<Record<string, unknown>> | undefined {
  return options as Readonly<Record<string, unknown>> | undefined;
}
