import { createSpillway, type DescribedLayer, type Description } from '@spillway/core';
import { BadInput } from '../bad-input.js';
import { loadConfig } from '../load/load-config.js';
import { time, wrapped } from '../output/table.js';
import type { Terminal } from '../terminal.js';

export interface ExplainOptions {
  readonly mermaid?: boolean;
  readonly json?: boolean;
  readonly dependency?: string;
}

/** `spillway explain`: the layers of each dependency from the outside in, with their numbers. @throws BadInput */
export async function explainCommand(
  path: string,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<number> {
  const { config } = await loadConfig(path);
  const spillway = createSpillway({ ...config, strict: false });
  const names = [...spillway.config.dependencies.keys()];
  const { dependency } = options;
  if (dependency !== undefined && !names.includes(dependency)) {
    throw new BadInput(`--dependency is '${dependency}'. Give one of ${names.join(', ')}`);
  }
  const chosen = dependency === undefined ? names : [dependency];
  const descriptions = chosen.map((name) => spillway.dependency(name).describe());
  spillway.close();
  if (options.json === true) terminal.write(`${JSON.stringify(descriptions, printable, 2)}\n`);
  else
    terminal.write(
      descriptions.map((one) => (options.mermaid === true ? diagrams(one) : layers(one))).join('\n'),
    );
  return 0;
}

function diagrams({ dependency, diagrams: { call, breaker } }: Description): string {
  const parts = [`%% a call of ${dependency}\n${call}`];
  if (breaker !== undefined) parts.push(`%% the breaker of ${dependency}\n${breaker}`);
  return `${parts.join('\n\n')}\n`;
}

function layers({ dependency, baseUrl, layers: all }: Description): string {
  const lines = all.map((layer, index) => layerText(layer, index + 1));
  return `${dependency}${baseUrl === undefined ? '' : `  ${baseUrl}`}\n${lines.join('\n')}\n`;
}

function layerText({ slot, kind, active, options }: DescribedLayer, place: number): string {
  const head = `  ${place}. ${slot === 'custom' ? `custom ${kind}` : kind}`;
  if (!active) return `${head.padEnd(16)} off`;
  const [first = '', ...rest] = wrapped(optionWords(options), ' '.repeat(17)).split('\n');
  return [`${head.padEnd(16)} ${first.trimStart()}`, ...rest].join('\n');
}

function optionWords(options: object): string {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key.replace(/Ms$/, '')} ${valueWords(key, value)}`)
    .join(' · ');
}

function valueWords(key: string, value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'number' && /(?:Ms|^ms)$/.test(key)) return time(value);
  if (Array.isArray(value)) return value.join(' ');
  if (typeof value === 'object' && value !== null) return `(${optionWords(value)})`;
  return String(value);
}

function printable(_key: string, value: unknown): unknown {
  return typeof value === 'function' ? 'a function' : value;
}
