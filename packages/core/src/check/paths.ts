import { group, parseDuration } from '../config/durations.js';
import type { Facts } from './facts.js';
import type { CallGraph, GraphCall } from './input.js';
import { attemptsOf, longestWaits, sum } from './worst-case.js';

/** One call on a path, in plain numbers. */
export interface Hop {
  readonly from: string;
  readonly to: string;
  readonly attempts: number;
  readonly meshAttempts: number;
  readonly owner: 'here' | 'above' | 'ignore';
  readonly spillway: boolean;
  readonly timeoutMs: number | undefined;
  readonly deadlineMs: number | undefined;
  readonly waitsMs: number;
}

/** A way from a service that nobody calls to one that calls nobody, and the most that one call on it can cost. */
export interface GraphPath {
  /** By name, the first caller first. */
  readonly services: readonly string[];
  readonly hops: readonly Hop[];
  /** Calls that reach the last service when every layer makes all of its attempts. */
  readonly product: number;
  /** The same when layers heed X-Should-Retry. */
  readonly attempts: number;
  /** `4 x 4 x 4 = 64`, a mesh beside its application: `app 3 x mesh 3 = 9`. */
  readonly arithmetic: string;
  /** Longest time of the first call; `undefined` where a hop's is unknown. */
  readonly timeMs: number | undefined;
}

/** More paths than anybody reads. */
const MOST_PATHS = 1_000;

/** Every path of the declared graph, in the graph's order; circles are left where they close. */
export function graphPaths(facts: Facts): GraphPath[] {
  const { graph } = facts.input;
  if (graph === undefined) return [];
  const paths: GraphPath[] = [];
  const walk = (services: readonly string[], hops: readonly Hop[]): void => {
    const from = services.at(-1) ?? '';
    const calls = Object.entries(graph.services[from]?.calls ?? {}).filter(([to]) => !services.includes(to));
    if (calls.length === 0 && hops.length > 0) paths.push(measured(services, hops));
    for (const [to, call] of calls) {
      if (paths.length >= MOST_PATHS) return;
      walk([...services, to], [...hops, hopOf(from, to, call, facts)]);
    }
  };
  for (const entry of entriesOf(graph)) walk([entry], []);
  return paths;
}

/** Circles, each from its first service back to it. */
export function graphCycles(graph: CallGraph | undefined): string[][] {
  if (graph === undefined) return [];
  const cycles = new Map<string, string[]>();
  const done = new Set<string>();
  const walk = (services: readonly string[]): void => {
    const from = services.at(-1) ?? '';
    for (const to of Object.keys(graph.services[from]?.calls ?? {})) {
      const start = services.indexOf(to);
      if (start !== -1) {
        const circle = services.slice(start);
        cycles.set([...circle].sort().join(' '), [...circle, to]);
      } else if (!done.has(to)) walk([...services, to]);
    }
    done.add(from);
  };
  for (const name of Object.keys(graph.services)) if (!done.has(name)) walk([name]);
  return [...cycles.values()];
}

/** Services that nobody calls; all of them when they call each other in circles alone. */
function entriesOf(graph: CallGraph): string[] {
  const called = new Set(Object.values(graph.services).flatMap(({ calls }) => Object.keys(calls ?? {})));
  const names = Object.keys(graph.services);
  const entries = names.filter((name) => !called.has(name));
  return entries.length > 0 ? entries : names;
}

/** A hop of the checked service has its configuration's numbers where the graph gives none. */
function hopOf(from: string, to: string, call: GraphCall, { resolved, input }: Facts): Hop {
  const own = from === resolved.service ? resolved.dependencies.get(to) : undefined;
  return {
    from,
    to,
    attempts: call.attempts ?? (own === undefined ? 1 : attemptsOf(own)),
    meshAttempts: call.meshAttempts ?? (own === undefined ? 1 : (input.traffic?.[to]?.meshAttempts ?? 1)),
    owner: call.owner ?? own?.retry?.owner ?? 'here',
    spillway: call.spillway ?? true,
    timeoutMs: parseDuration(call.timeout) ?? own?.attempt.timeoutMs,
    deadlineMs: parseDuration(call.deadline) ?? own?.deadlineMs,
    waitsMs: own === undefined ? 0 : sum(longestWaits(own)),
  };
}

function measured(services: readonly string[], hops: readonly Hop[]): GraphPath {
  const product = hops.reduce((total, { attempts, meshAttempts }) => total * attempts * meshAttempts, 1);
  const factors = hops.flatMap(({ attempts, meshAttempts }) =>
    meshAttempts === 1 ? [group(attempts)] : [`app ${group(attempts)}`, `mesh ${group(meshAttempts)}`],
  );
  return {
    services,
    hops,
    product,
    attempts: ownedProduct(hops),
    arithmetic: `${factors.join(' x ')} = ${group(product)}`,
    timeMs: longestTime(hops),
  };
}

/**
 * From the failure upward: a layer that has made two attempts or more, or was told so from below, tells the layer
 * above not to retry, and a layer that heeds this makes one. A mesh hears of nothing.
 */
function ownedProduct(hops: readonly Hop[]): number {
  let told = false;
  let product = 1;
  for (const hop of hops.toReversed()) {
    const attempts: number = hop.spillway ? ownAttempts(hop, told) : hop.attempts;
    product *= attempts * hop.meshAttempts;
    told = hop.spillway && hop.owner !== 'above' && (told || attempts > 1);
  }
  return product;
}

function ownAttempts({ owner, attempts }: Hop, told: boolean): number {
  if (owner === 'above') return 1;
  return owner === 'here' && told ? 1 : attempts;
}

/** From the last hop upward: an attempt without a timeout takes what the hop below takes. */
function longestTime(hops: readonly Hop[]): number | undefined {
  let below: number | undefined;
  for (const { attempts, meshAttempts, timeoutMs, deadlineMs, waitsMs } of hops.toReversed()) {
    const attempt: number | undefined = timeoutMs ?? (below === undefined ? undefined : below * meshAttempts);
    const schedule: number | undefined = attempt === undefined ? undefined : attempts * attempt + waitsMs;
    below = schedule === undefined ? deadlineMs : Math.min(schedule, deadlineMs ?? schedule);
  }
  return below;
}
