import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { inputMessage } from './bad-input.js';
import { type CheckOptions, checkCommand } from './commands/check.js';
import { type ExplainOptions, explainCommand } from './commands/explain.js';
import { type SimulateCommandOptions, simulateCommand } from './commands/simulate.js';
import type { Terminal } from './terminal.js';

/** Exit code for what the user gave and cannot be used. */
const BAD_INPUT = 2;

/**
 * Runs the command line.
 * @param args without node and the script
 * @returns the exit code: 0, 1 when a check or an expectation fails, 2 for bad input
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const program = programOf(terminal, (exit) => {
    code = exit;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_INPUT;
    const message = inputMessage(error);
    if (message === undefined) throw error;
    terminal.complain(`${message}\n`);
    return BAD_INPUT;
  }
}

function programOf(terminal: Terminal, exit: (code: number) => void): Command {
  const program = new Command('spillway')
    .description('Check what a configuration will do, explain it, and simulate it, before it ships.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.complain(text),
    });
  addCheck(program, terminal, exit);
  addExplain(program, terminal, exit);
  addSimulate(program, terminal, exit);
  return program;
}

function addCheck(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('check')
    .description('find what contradicts itself, with the arithmetic; exit code 1 when there is an error')
    .argument('[config]', 'a .ts, .js or .json file')
    .option('--declare <file>', 'what surrounds the service: traffic, instances, call graph, stores')
    .option('--json', 'print JSON')
    .addOption(
      new Option('--format <format>', 'how to print').choices(['text', 'json', 'sarif']).default('text'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'the least that makes the exit code 1')
        .choices(['error', 'warning', 'info'])
        .default('error'),
    )
    .option('--explain <rule>', 'explain a rule, as SW001')
    .action(async (path: string | undefined, options: CheckOptions) => {
      exit(await checkCommand(path, options, terminal));
    });
}

function addExplain(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('explain')
    .description('print the layers of each dependency, in order, with their numbers')
    .argument('<config>', 'a .ts, .js or .json file')
    .option('--dependency <name>', 'this one alone')
    .option('--mermaid', 'the call and its breaker as state diagrams')
    .option('--json', 'print JSON')
    .action(async (path: string, options: ExplainOptions) => {
      exit(await explainCommand(path, options, terminal));
    });
}

function addSimulate(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('simulate')
    .description('run a world of services in virtual time; exit code 1 when an expectation fails')
    .argument('<scenario>', 'outage, layers, slow, storm, rollout, or a .ts, .js or .json file')
    .option('--seed <number>', "in place of the scenario's")
    .option(
      '--vary <path=values>',
      'run with each of these values, as shop.quotes.retry.attempts=1,2,3',
      collect,
      [],
    )
    .option('--json', 'print JSON')
    .option('--html <file>', 'write a page with charts')
    .action(async (scenario: string, options: SimulateCommandOptions) => {
      exit(await simulateCommand(scenario, options, terminal));
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  if (value === '') throw new InvalidArgumentError('Give a path and its values.');
  return [...before, value];
}
