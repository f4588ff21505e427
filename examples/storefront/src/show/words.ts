import type { BySide } from '../processes/messages.js';

/** What the sides are called on the screen. */
export const NAMES: BySide<string> = { spillway: 'Spillway', plain: 'plain got' };

export function count(n: number): string {
  return n.toLocaleString('en');
}

/** '3 ms', '2.1 s'; a dash for what never came. */
export function time(ms: number | null): string {
  if (ms === null) return '-';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

export function times(factor: number | null): string {
  return factor === null ? '-' : `${factor.toFixed(2)}x`;
}
