// A test runner for Stryker: mutants are tried in a plain Node process that loads the tests that reach them once. A
// hundred times as fast as a Jest of its own for each of thousands of mutants; the tests are the same files.
import { fork } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import jestConfig from '../../jest.config.js';

const TRIAL = fileURLToPath(new URL('trial.mjs', import.meta.url));
const DRY_RUN_MS = 600_000;
const ENDING = '.test.js';
const ORDER = 'trial-order.json';
/** As Jest compiles them, but for maps that nobody reads here. */
const COMPILER = { ...jestConfig.transform['\\.ts$'][1], sourceMaps: false };

class ProcessRunner {
  #options;
  #files = [];
  #process = undefined;

  constructor(options) {
    this.#options = options;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const { transformSync } = await import('@swc/core');
    const { compile, tests, leaveOut = [] } = this.#options.processes;
    for (const folder of compile) {
      for (const file of sourcesIn(folder)) writeFileSync(javaScriptOf(file), compiled(transformSync, file));
    }
    const isLeftOut = (file) => leaveOut.some((part) => file.includes(part));
    this.#files = tests
      .flatMap(sourcesIn)
      .filter((file) => file.endsWith('.test.ts') && !isLeftOut(file))
      .map(javaScriptOf);
  }

  async dryRun() {
    const trials = new Trials();
    const seen = await trials.ask({ files: this.#files, covers: true }, DRY_RUN_MS);
    trials.end();
    if (seen.ended !== 'tested') return { status: 'error', errorMessage: seen.why };
    noteOrder(this.#files, seen.tests);
    return { status: 'complete', tests: seen.tests.map(asResult), mutantCoverage: seen.coverage };
  }

  async mutantRun({ activeMutant, testFilter, timeout, hitLimit, mutantActivation }) {
    const reached = testFilter && new Set(testFilter.map(fileOf));
    const files = inOrder(this.#files).filter((file) => reached?.has(file) ?? true);
    const task = { files, only: testFilter, mutant: activeMutant.id, hitLimit };
    // what a module does while it loads happens once
    if (mutantActivation === 'static') this.#renew();
    let seen = await this.#trials().ask(task, timeout);
    const isDoubtful = seen.ended !== 'tested' || !seen.isSound;
    if (isDoubtful && !seen.isEndless && this.#trials().count > 1) {
      this.#renew();
      seen = await this.#trials().ask(task, timeout);
    }
    if (isDoubtful || mutantActivation === 'static') this.#renew();
    return verdict(seen, testFilter);
  }

  async dispose() {
    this.#process?.end();
  }

  #trials() {
    this.#process ??= new Trials();
    return this.#process;
  }

  #renew() {
    this.#process?.end();
    this.#process = undefined;
  }
}

/** A process that tries one mutant after the other. */
class Trials {
  count = 0;
  #said = '';
  #child = fork(TRIAL, { execArgv: ['--disable-warning=ExperimentalWarning'], silent: true });

  constructor() {
    this.#child.stdout.resume();
    this.#child.stderr.on('data', (text) => {
      this.#said = `${this.#said}${text}`.slice(-2000);
    });
  }

  ask(task, withinMs) {
    this.count++;
    return new Promise((resolve) => {
      const end = (seen) => {
        clearTimeout(timer);
        this.#child.removeAllListeners();
        resolve(seen);
      };
      const timer = setTimeout(() => end({ ended: 'late' }), withinMs);
      this.#child.once('message', (seen) => end({ ended: 'tested', ...seen }));
      this.#child.once('exit', (code) => end({ ended: 'broken', why: `exit code ${code}: ${this.#said}` }));
      this.#child.send(task);
    });
  }

  end() {
    this.#child.removeAllListeners();
    this.#child.kill('SIGKILL');
  }
}

function verdict(seen, testFilter) {
  if (seen.ended === 'late' || seen.isEndless) return { status: 'timeout' };
  // a process that breaks down, as at an error nobody catches, has noticed the mutant
  if (seen.ended === 'broken') return killed(testFilter?.slice(0, 1) ?? [], seen.why, 1);
  const failed = seen.tests.find(({ why }) => why !== undefined);
  if (failed === undefined) return { status: 'survived', nrOfTests: seen.tests.length };
  return killed([failed.id], failed.why, seen.tests.length);
}

function killed(killedBy, failureMessage, nrOfTests) {
  return { status: 'killed', killedBy, failureMessage, nrOfTests };
}

/** The file in a test's id. */
function fileOf(id) {
  return id.slice(0, id.indexOf(ENDING) + ENDING.length);
}

/** Quick files first, for all runners: most mutants are noticed by them. */
function noteOrder(files, tests) {
  const msOf = new Map(files.map((file) => [file, 0]));
  for (const { fileName, ms } of tests) msOf.set(fileName, msOf.get(fileName) + ms);
  writeFileSync(ORDER, JSON.stringify(files.toSorted((a, b) => msOf.get(a) - msOf.get(b))));
}

function inOrder(files) {
  return existsSync(ORDER) ? JSON.parse(readFileSync(ORDER, 'utf8')) : files;
}

/** Success is 0 and failure 1 to Stryker. */
function asResult({ id, fileName, ms, why }) {
  const result = { id, name: id, fileName, timeSpentMs: ms };
  return why === undefined ? { ...result, status: 0 } : { ...result, status: 1, failureMessage: why };
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => join(process.cwd(), folder, file));
}

function javaScriptOf(file) {
  return file.replace(/\.ts$/, '.js');
}

function compiled(transformSync, file) {
  const harness = JSON.stringify(new URL('harness.mjs', import.meta.url).href);
  const { code } = transformSync(readFileSync(file, 'utf8'), { ...COMPILER, filename: file });
  return code.replace(/(['"])@jest\/globals\1/g, harness);
}

function makeRunner(options) {
  return new ProcessRunner(options);
}
makeRunner.inject = ['options'];

export const strykerPlugins = [{ kind: 'TestRunner', name: 'processes', factory: makeRunner }];
