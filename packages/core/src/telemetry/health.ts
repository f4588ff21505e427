import type { SpillwaySnapshot } from './snapshot.js';

/** Whether a service can do its work, and what is wrong if it is not all well. */
export interface Health {
  /** `degraded` still serves: one open breaker does not take a service out of rotation. */
  readonly status: 'ready' | 'degraded' | 'draining';
  readonly reasons: readonly string[];
}

/** Reads health off a snapshot. Degraded when every breaker is open, or detached work holds half of a bulkhead. */
export function healthOf(snapshot: SpillwaySnapshot): Health {
  if (snapshot.phase !== 'open') return { status: 'draining', reasons: [`the service is ${snapshot.phase}`] };
  const open: string[] = [];
  const choked: string[] = [];
  for (const { name, breakers, bulkhead } of snapshot.dependencies) {
    if (
      breakers.some(({ state, mode }) => mode === 'enforce' && (state === 'open' || state === 'forced-open'))
    )
      open.push(name);
    if (bulkhead !== undefined && bulkhead.detached * 2 >= bulkhead.limit) {
      choked.push(
        `${name}: ${bulkhead.detached} of ${bulkhead.limit} units held by work that ignores its abort`,
      );
    }
  }
  const reasons = [...open.map((name) => `${name}: breaker open`), ...choked];
  const allOpen = open.length > 1 && open.length === snapshot.dependencies.length;
  return { status: allOpen || choked.length > 0 ? 'degraded' : 'ready', reasons };
}
