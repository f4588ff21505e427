import type { Clock, HeaderHooks, Random, ResolvedDependency, Transport } from '@spillway/core';
import type { Request } from 'got';
import { Agents } from '../wire/agents.js';
import { type Base, baseOf } from './confine.js';
import { misuse } from './misuse.js';
import { checkOptions, passedOf } from './options.js';
import { confinedRedirects } from './redirects.js';
import type { SearchParams } from './search-params.js';

/** The part of got that is used; any version of its line has it. */
export interface GotInstance {
  stream(url: string | URL, options: Record<string, unknown>): Request;
  extend(options: Record<string, unknown>): GotInstance;
}

type Options = Readonly<Record<string, unknown>>;

/** Defaults that the client merges itself. */
interface Merged {
  readonly searchParams: readonly SearchParams[];
  /** Lower-case names of the default headers. */
  readonly headerNames: ReadonlySet<string>;
  readonly throwHttpErrors: boolean;
  readonly stringifyJson: (value: unknown) => string;
  readonly parseJson: (text: string) => unknown;
  /** Policy options of `.extend()`. */
  readonly policy: Options | undefined;
}

/** What all requests to one dependency share: base, connections, a got of its own, defaults. */
export class Upstream {
  readonly name: string;
  readonly base: Base;
  readonly options: ResolvedDependency;
  readonly clock: Clock;
  readonly random: Random;
  readonly agents: Agents;
  readonly headerHooks: HeaderHooks;
  readonly transport: Transport | undefined;
  readonly secret: string | undefined;
  readonly got: GotInstance;
  readonly merged: Merged;

  private constructor(from: Omit<Upstream, 'extend'>) {
    this.name = from.name;
    this.base = from.base;
    this.options = from.options;
    this.clock = from.clock;
    this.random = from.random;
    this.agents = from.agents;
    this.headerHooks = from.headerHooks;
    this.transport = from.transport;
    this.secret = from.secret;
    this.got = from.got;
    this.merged = from.merged;
  }

  /** @throws SpillwayError ERR_CONFIG without a `baseUrl`, or for options that a client does not take */
  static of(spillway: Host, name: string, options: ResolvedDependency, got: GotInstance): Upstream {
    const { baseUrl, bulkhead, client } = options;
    if (baseUrl === undefined) {
      throw misuse(
        name,
        `Option 'dependencies.${name}.baseUrl' is missing: a client needs to know where to send`,
      );
    }
    checkOptions(name, 'config', client);
    const base = baseOf(name, baseUrl);
    // a probe may use one unit above the limit
    const sockets =
      bulkhead === undefined || bulkhead.mode === 'observe'
        ? Number.POSITIVE_INFINITY
        : bulkhead.concurrent + 1;
    const agents = new Agents(sockets);
    spillway.onClose(() => agents.destroy());
    return new Upstream({
      name,
      base,
      options,
      clock: spillway.clock,
      random: spillway.random,
      agents,
      headerHooks: spillway.headerHooks,
      transport: spillway.transport(name),
      secret: spillway.config.idempotencySecret,
      got: got.extend({ ...OWN, ...gotDefaults(base, client) }),
      merged: mergeDefaults(NOTHING_MERGED, client, undefined),
    });
  }

  /** The same dependency with other defaults. */
  extend(options: Options): Upstream {
    checkOptions(this.name, 'extend', options);
    const got = this.got.extend(gotDefaults(this.base, options));
    return new Upstream({ ...this, got, merged: mergeDefaults(this.merged, options, options) });
  }
}

/** What a client needs of a spillway. */
export interface Host {
  readonly clock: Clock;
  readonly random: Random;
  readonly headerHooks: HeaderHooks;
  readonly config: { readonly idempotencySecret: string | undefined };
  transport(name: string): Transport | undefined;
  onClose(end: () => void): void;
}

/** got's own loops are off: one layer owns the retries. Redirects are followed only when asked for. */
const OWN: Options = {
  retry: { limit: 0, calculateDelay: () => 0 },
  followRedirect: false,
  throwHttpErrors: true,
};

const NOTHING_MERGED: Merged = {
  searchParams: [],
  headerNames: new Set(),
  throwHttpErrors: true,
  stringifyJson: JSON.stringify,
  parseJson: JSON.parse,
  policy: undefined,
};

function gotDefaults(base: Base, options: Options): Record<string, unknown> {
  const passed = confinedRedirects(base, passedOf(options) ?? {});
  if (options['headers'] !== undefined) passed['headers'] = options['headers'];
  return passed;
}

function mergeDefaults(under: Merged, options: Options, policy: Options | undefined): Merged {
  const { searchParams, headers, throwHttpErrors, stringifyJson, parseJson } = options;
  const names = Object.keys((headers as object | undefined) ?? {}).map((name) => name.toLowerCase());
  return {
    searchParams:
      searchParams === undefined ? under.searchParams : [...under.searchParams, searchParams as SearchParams],
    headerNames: new Set([...under.headerNames, ...names]),
    throwHttpErrors: (throwHttpErrors as boolean | undefined) ?? under.throwHttpErrors,
    stringifyJson: (stringifyJson as Merged['stringifyJson'] | undefined) ?? under.stringifyJson,
    parseJson: (parseJson as Merged['parseJson'] | undefined) ?? under.parseJson,
    policy: policy === undefined ? under.policy : { ...under.policy, ...policy },
  };
}
