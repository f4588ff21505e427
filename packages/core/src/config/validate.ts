import type { SpillwayConfig } from './types.js';

export function validateConfig(_config: SpillwayConfig): void {}
