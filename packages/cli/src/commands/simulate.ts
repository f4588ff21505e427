import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { htmlReport, PRESETS, type Scenario, simulate, type Variation } from '@spillway/simulator';
import { BadInput, firstLine } from '../bad-input.js';
import { readModule } from '../load/read-module.js';
import { progressBar } from '../output/progress.js';
import { simulationText } from '../output/simulation-text.js';
import type { Terminal } from '../terminal.js';

export interface SimulateCommandOptions {
  readonly seed?: string;
  readonly vary: readonly string[];
  readonly json?: boolean;
  readonly html?: string;
}

/** `spillway simulate`: 0 when every expectation holds, 1 otherwise. @throws BadInput, ERR_CONFIG */
export async function simulateCommand(
  what: string,
  options: SimulateCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { scenario, directory } = await scenarioOf(what);
  const vary = options.vary.map(variationOf);
  const seed = options.seed === undefined ? undefined : seedOf(options.seed);
  if (options.html !== undefined) mustBeWritable(options.html);
  const signal = { aborted: false };
  const stopListening = terminal.onInterrupt(() => {
    signal.aborted = true;
  });
  const bar = progressBar(terminal);
  try {
    const report = await simulate(scenario, {
      ...(seed === undefined ? {} : { seed }),
      vary,
      signal,
      onProgress: bar.show,
      readTrace: (path) => readTrace(directory, path),
    });
    bar.clear();
    terminal.write(
      options.json === true ? `${JSON.stringify(report, undefined, 2)}\n` : simulationText(report),
    );
    if (options.html !== undefined) writeReport(options.html, htmlReport(report), terminal);
    return report.complete && report.expectations.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    bar.clear();
    stopListening();
  }
}

async function scenarioOf(what: string): Promise<{ scenario: Scenario; directory: string }> {
  const preset = Object.hasOwn(PRESETS, what) ? PRESETS[what] : undefined;
  if (preset !== undefined) return { scenario: preset, directory: '.' };
  if (!/[./\\]/.test(what)) {
    throw new BadInput(
      `'${what}' is no preset: ${Object.keys(PRESETS).join(', ')}. Or give the path of a scenario file`,
    );
  }
  const { main } = await readModule(what);
  if (typeof main !== 'object' || main === null) {
    throw new BadInput(`${what}: export the scenario as default, or as 'scenario'`);
  }
  const { $schema, ...scenario } = main as Record<string, unknown>;
  // validated by simulate, which says by path what is wrong with it
  return { scenario: scenario as unknown as Scenario, directory: dirname(what) };
}

/** `shop.quotes.retry.attempts=1,2,3` */
function variationOf(words: string): Variation {
  const at = words.indexOf('=');
  if (at < 1 || at === words.length - 1) {
    throw new BadInput(
      `--vary is '${words}'. Give a path and its values, as shop.quotes.retry.attempts=1,2,3`,
    );
  }
  return {
    path: words.slice(0, at),
    values: words
      .slice(at + 1)
      .split(',')
      .map(parsedValue),
  };
}

/** Numbers, true, false and null as such; anything else is a text. */
function parsedValue(text: string): unknown {
  return /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(text) ? JSON.parse(text) : text;
}

function seedOf(text: string): number {
  if (!/^\d{1,10}$/.test(text))
    throw new BadInput(`--seed is '${text}'. Give a whole number from 0 to 4,294,967,295`);
  return Number(text);
}

function readTrace(directory: string, path: string): string {
  try {
    return readFileSync(resolve(directory, path), 'utf8');
  } catch (error) {
    throw new BadInput(`The trace ${path} cannot be read: ${firstLine(error)}`);
  }
}

/** Told before a run that may take minutes. */
function mustBeWritable(path: string): void {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): BadInput {
  return new BadInput(`--html: ${path} cannot be written: ${firstLine(error)}`);
}

function writeReport(path: string, page: string, terminal: Terminal): void {
  try {
    writeFileSync(path, page);
  } catch (error) {
    throw unwritable(path, error);
  }
  terminal.complain(`${path} written\n`);
}
