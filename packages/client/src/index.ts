export { ClientStream } from './answer/client-stream.js';
export { type AnyGot, type Clients, type ClientsOptions, clients } from './clients.js';
export type {
  Answer,
  Client,
  ClientBody,
  ClientDefaults,
  ClientHooks,
  ClientPromise,
  DegradedResponse,
  ExtendOptions,
  HeadFunction,
  PolicyOptions,
  RequestFunction,
  RequestOptions,
  StreamFunction,
  StreamMethods,
  StreamOptions,
} from './types.js';
