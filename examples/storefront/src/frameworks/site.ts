import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Spillway } from '@spillway/core';

/** A plain handler: the metrics, the dashboard. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** What is served, whatever serves it. */
export interface Site {
  readonly spillway: Spillway<{ quotes: unknown }>;
  readonly metrics: Handler;
  readonly dashboard: Handler;
}

/** A server that does not listen yet. */
export type MakeServer = (site: Site) => Promise<Server>;

/** Where the plain handlers are. They stand before the gate: whoever looks during an overload must not be refused. */
export const METRICS = '/metrics';
export const DASHBOARD = '/dashboard';

/** What is answered while quotes cannot be asked. */
export function stale(symbol: string, code: string): object {
  return { symbol, price: null, degraded: true, because: code };
}
