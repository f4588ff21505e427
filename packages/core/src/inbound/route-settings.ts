import { spillwayError } from '../call/errors.js';
import { toMs } from '../config/durations.js';
import type { Duration, Mode } from '../config/types.js';
import type { Criticality } from '../telemetry/events.js';
import { CRITICALITIES } from './request-facts.js';

/** What a route may set for itself; everything else is the spillway's `inbound` configuration. */
export interface RouteOptions {
  /**
   * By when this route answers, from arrival; 504 after it. Takes the place of `inbound.deadline.default` and `max`;
   * a caller that asks for less gets less.
   */
  readonly deadline?: Duration;
  /** Criticality of its requests, whatever they say of themselves. */
  readonly priority?: Criticality;
  /** Not counted at the gate: health checks. */
  readonly exempt?: boolean;
  /** `observe`: its deadline is counted and cuts nothing. */
  readonly mode?: Mode;
  /** What a client's hang-up does to its work. */
  readonly onDisconnect?: 'cancel' | 'finish';
  /** What must happen by the deadline: the answer's first byte, or all of it. */
  readonly covers?: 'headers' | 'response';
}

/** The same, validated, in ms. */
export interface RouteSettings {
  readonly deadlineMs: number | undefined;
  readonly priority: Criticality | undefined;
  readonly exempt: boolean;
  readonly mode: Mode | undefined;
  readonly onDisconnect: 'cancel' | 'finish' | undefined;
  readonly covers: 'headers' | 'response' | undefined;
}

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  priority: CRITICALITIES,
  exempt: [true, false],
  mode: ['enforce', 'observe'],
  onDisconnect: ['cancel', 'finish'],
  covers: ['headers', 'response'],
};

/**
 * Validates the options of a route.
 * @throws SpillwayError ERR_CONFIG naming the option, its value and what is allowed
 */
export function routeSettings(options: RouteOptions): RouteSettings {
  for (const [name, value] of Object.entries(options)) {
    if (name === 'deadline' || value === undefined) continue;
    const allowed = CHOICES[name];
    if (allowed === undefined) throw refused(name, value, Object.keys(CHOICES).concat('deadline'));
    if (!allowed.includes(value)) throw refused(name, value, allowed);
  }
  const { deadline, priority, exempt, mode, onDisconnect, covers } = options;
  const deadlineMs = deadline === undefined ? undefined : toMs(deadline, 'route.deadline');
  return { deadlineMs, priority, exempt: exempt === true, mode, onDisconnect, covers };
}

function refused(name: string, value: unknown, allowed: readonly unknown[]) {
  const message = `route.${name}: ${String(value)} is not allowed. Use one of: ${allowed.join(', ')}`;
  return spillwayError('ERR_CONFIG', message, {
    details: {
      issues: [{ path: `route.${name}`, value: String(value), allowed: allowed.join(', '), message }],
    },
  });
}
