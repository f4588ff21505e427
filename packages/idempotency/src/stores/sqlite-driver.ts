import type { Clock } from '@spillway/core';
import { pause, type TimeBox } from '../engine/time-box.js';

/** A value a driver can bind. */
export type SqliteValue = string | number | bigint | null;

export interface SqliteStatement {
  run(...values: SqliteValue[]): { changes: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

/** What `libsql`, `better-sqlite3` and `node:sqlite` have in common. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
}

/** Milliseconds since the epoch by the database's clock, on every version of SQLite; one value per statement. */
export const DB_NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";

/** Between two tries on a busy database. Ms. */
const BUSY_PAUSE_MS = 3;

/** Another connection holds the database: the drivers say so each in its way. */
function isBusy(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return (errcode & 0xff) === 5 || (errcode & 0xff) === 6;
  return typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code);
}

/**
 * Runs `statement`, again and again while the database is busy, until it goes through or nobody waits any more. The
 * drivers' own busy timeout would hold up the event loop instead.
 */
export async function withoutBlocking<T>(clock: Clock, box: TimeBox, statement: () => T): Promise<T> {
  for (;;) {
    try {
      return statement();
    } catch (error) {
      if (!isBusy(error) || box.leftMs <= BUSY_PAUSE_MS) throw error;
    }
    await pause(clock, BUSY_PAUSE_MS);
  }
}
