import type { Adds, Call, Dependency, Spillway } from '@spillway/core';
import defaultGot from 'got';
import { makeClient } from './client.js';
import { misuse } from './request/misuse.js';
import { type GotInstance, Upstream } from './request/upstream.js';
import type { Client } from './types.js';

/** A got of another version, or with defaults of its own. */
export interface AnyGot {
  extend(options: object): unknown;
}

export interface ClientsOptions {
  /** Default: the got 14 that this package depends on. */
  readonly got?: AnyGot;
  /** The call whose deadline and cancellation requests inherit. Default: the ambient one, where there is one. */
  readonly parent?: Call | undefined;
}

/** Gives the client of a dependency by its name. */
export type Clients<F> = <N extends keyof F & string>(name: N) => Client<Adds<F[N]>>;

/** Upstreams of a spillway, by got and dependency: their connections are shared by all clients. */
const KNOWN = new WeakMap<object, Map<unknown, Map<string, Upstream>>>();

/**
 * The HTTP clients of a spillway, one per dependency: got's interface, under each dependency's policy.
 * @example
 * const client = clients(spillway);
 * const { price } = await client('quotes').get(`v1/${encodeURIComponent(symbol)}`).json<Quote>();
 * @throws SpillwayError (from the returned function) ERR_UNKNOWN_DEPENDENCY; ERR_CONFIG when the dependency has no
 * `baseUrl`, or an option under `client` that a client does not take
 */
export function clients<F extends Record<string, unknown>>(
  spillway: Spillway<F>,
  options: ClientsOptions = {},
): Clients<F> {
  const got = gotOf(options.got);
  const parent = options.parent === undefined ? () => spillway.context?.current() : () => options.parent;
  spillway.provideClients((name, call) =>
    clients(spillway, { ...options, parent: call })(name as keyof F & string),
  );
  return (name) => {
    const dependency = spillway.dependency(name) as Dependency<unknown>;
    return makeClient({ dependency, parent, upstream: upstreamOf(spillway, dependency, got) });
  };
}

function upstreamOf<F extends Record<string, unknown>>(
  spillway: Spillway<F>,
  { name, options }: Dependency<unknown>,
  got: GotInstance,
): Upstream {
  const byGot = KNOWN.get(spillway) ?? new Map<unknown, Map<string, Upstream>>();
  KNOWN.set(spillway, byGot);
  const byName = byGot.get(got) ?? new Map<string, Upstream>();
  byGot.set(got, byName);
  const upstream = byName.get(name) ?? Upstream.of(spillway, name, options, got);
  byName.set(name, upstream);
  return upstream;
}

function gotOf(given: AnyGot | undefined): GotInstance {
  const got = given ?? defaultGot;
  if (typeof got !== 'function' || typeof got.extend !== 'function') {
    throw misuse('', "Option 'got' is an instance of got: a function with `extend`, of version 14 or newer");
  }
  return got as unknown as GotInstance;
}
