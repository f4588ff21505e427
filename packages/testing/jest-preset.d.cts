import type { SpillwayJestPreset } from './dist/jest/preset.js' with { 'resolution-mode': 'import' };

declare const preset: SpillwayJestPreset;
export = preset;
