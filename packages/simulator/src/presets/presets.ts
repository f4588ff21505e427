import type { Scenario } from '../scenario/types.js';
import { layers } from './layers.js';
import { outage } from './outage.js';
import { rollout } from './rollout.js';
import { slow } from './slow.js';
import { storm } from './storm.js';

/** Worlds that everybody should have seen once, by the name that `spillway simulate <name>` takes. */
export const PRESETS: Readonly<Record<string, Scenario>> = { outage, layers, slow, storm, rollout };
