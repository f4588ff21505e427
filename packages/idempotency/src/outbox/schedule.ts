import type { Duration, Random } from '@spillway/core';
import { ranged } from '../engine/options.js';

export interface ScheduleConfig {
  /** Wait after the first failed attempt. Default 1 s. */
  readonly base?: Duration;
  /** Growth per attempt. Default 2. */
  readonly factor?: number;
  /** Longest wait. Default 5 min. */
  readonly cap?: Duration;
}

export interface Schedule {
  /** Wait after attempt `number` has failed, with a spread of up to 20 % on top. Ms. */
  after(number: number): number;
}

/** @throws ERR_CONFIG for a wrong duration */
export function scheduleOf(config: ScheduleConfig, random: Random): Schedule {
  const baseMs = ranged(config.base ?? 1_000, 'schedule.base', 1, 86_400_000);
  const capMs = ranged(config.cap ?? 300_000, 'schedule.cap', baseMs, 86_400_000);
  const factor = Math.max(1, config.factor ?? 2);
  return {
    after: (number) => Math.min(capMs, baseMs * factor ** Math.min(number - 1, 64)) * (1 + 0.2 * random()),
  };
}
