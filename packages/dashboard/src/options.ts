import type { IncomingMessage } from 'node:http';
import { type Duration, parseDuration, spillwayError } from '@spillway/core';

export interface DashboardOptions {
  /**
   * Who may force breakers and inject faults. Asked for every control request, after its origin was checked. Without
   * it nobody may. Who may look is up to the application: put its own middleware in front.
   */
  readonly authorize?: (req: IncomingMessage) => boolean | Promise<boolean>;
  /** How often the page is told what has changed, 250 ms to 10 s. Default 1 s. */
  readonly tick?: Duration;
  /** How far back the charts go, 1 min to 1 h. Default 5 min. */
  readonly history?: Duration;
  /** Pages that may be open at once, 1 to 10,000; more are answered 503. Default 200. */
  readonly viewers?: number;
}

export interface ResolvedOptions {
  readonly authorize: DashboardOptions['authorize'];
  readonly tickMs: number;
  readonly historyMs: number;
  readonly viewers: number;
}

const KNOWN = new Set(['authorize', 'tick', 'history', 'viewers']);

/** @throws SpillwayError ERR_CONFIG naming the option, its value and what is allowed */
export function readOptions(options: DashboardOptions): ResolvedOptions {
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw bad(unknown, 'given', `none of that name: ${[...KNOWN].join(', ')}`);
  const { authorize, tick = 1000, history = 300_000, viewers = 200 } = options;
  if (authorize !== undefined && typeof authorize !== 'function')
    throw bad('authorize', authorize, 'a function of the request');
  const tickMs = parseDuration(tick);
  if (tickMs === undefined || tickMs < 250 || tickMs > 10_000)
    throw bad('tick', tick, "a duration from '250ms' to '10s'");
  const historyMs = parseDuration(history);
  if (historyMs === undefined || historyMs < 60_000 || historyMs > 3_600_000)
    throw bad('history', history, "a duration from '1m' to '1h'");
  if (!Number.isInteger(viewers) || viewers < 1 || viewers > 10_000)
    throw bad('viewers', viewers, 'a whole number from 1 to 10,000');
  return { authorize, tickMs, historyMs, viewers };
}

function bad(option: string, value: unknown, allowed: string) {
  return spillwayError('ERR_CONFIG', `dashboard: ${option} is ${String(value)}, allowed is ${allowed}`);
}
