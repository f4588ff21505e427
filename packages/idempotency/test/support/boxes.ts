import type { TimeBox } from '../../src/engine/time-box.js';

/** Ample time: for tests that are not about running out of it. */
export const AMPLE: TimeBox = {
  over: false,
  leftMs: 30_000,
  whenOver: () => () => {},
};
