import type { SpillwayConfig } from '@spillway/core';
import type { CheckInput } from '@spillway/core/check';
import { BadInput } from '../bad-input.js';
import { readModule } from './read-module.js';

export interface LoadedConfig {
  readonly path: string;
  readonly text: string;
  readonly config: SpillwayConfig;
  /** What the file, or the file given with --declare, says of the surroundings. */
  readonly declared: CheckInput;
}

/**
 * Loads a configuration: the default export (or `config`) of a module with `declared` beside it, or a JSON document
 * that may have `$schema` and `declared` among the options.
 * @throws BadInput when there is none
 */
export async function loadConfig(path: string, declarePath?: string): Promise<LoadedConfig> {
  const { text, main, named } = await readModule(path);
  if (typeof main !== 'object' || main === null) {
    throw new BadInput(`${path}: export the configuration as default, or as 'config'`);
  }
  const { $schema, declared: inline, ...config } = main as Record<string, unknown>;
  const apart = declarePath === undefined ? undefined : (await readModule(declarePath)).main;
  const declared = apart ?? named['declared'] ?? inline ?? {};
  // both are validated by core, which says by path what is wrong with them
  return { path, text, config: config as SpillwayConfig, declared: declared as CheckInput };
}
