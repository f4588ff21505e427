import { formatDuration, group } from '../config/durations.js';
import type { Traffic } from './facts.js';
import { rateUnit } from './input-schema.js';

/** A declared rate times a factor, in the unit it was declared in: `10,000/min x 8 % = 800 retries/min`. */
export function rateWords(traffic: Traffic, factor: number, what: string): string {
  const { unit, seconds } = rateUnit(traffic.declared.rate);
  const rate = (traffic.perSecond ?? 0) * seconds;
  const times = factor < 1 ? `${group(factor * 100)} %` : group(factor);
  return `${group(rate)}/${unit} x ${times} = ${group(rate * factor)} ${what}/${unit}`;
}

/** Calls in flight on one instance when each takes `ms` (Little's law), rounded up. */
export function unitsHeld(traffic: Traffic, ms: number): number {
  return Math.ceil(Math.round(((traffic.perSecond ?? 0) / traffic.instances) * ms) / 1000);
}

/** `50/s x 5 s = 250` */
export function slotsWords(traffic: Traffic, ms: number): string {
  const share = traffic.instances === 1 ? '' : ` / ${group(traffic.instances)} instances`;
  return `${group(traffic.perSecond ?? 0)}/s${share} x ${formatDuration(ms)} = ${group(unitsHeld(traffic, ms))}`;
}
