// What the tests import from Jest, for a plain Node process: the same `expect`, and suites, hooks and tables around it.
import { createRequire } from 'node:module';

const requireOfJest = createRequire(createRequire(import.meta.url).resolve('@jest/globals'));
const { jestExpect } = requireOfJest('@jest/expect');
const { ModuleMocker } = requireOfJest('jest-mock');

export const expect = jestExpect;
export const jest = new ModuleMocker(globalThis);

function suite(name, parent) {
  const hooks = { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] };
  return { name, parent, hooks, isSetUp: false };
}

let current = suite('', undefined);
let tests = [];

/** The tests that have been defined since it was last asked. */
export function collected() {
  const those = tests;
  tests = [];
  current = suite('', undefined);
  return those;
}

function define(name, body) {
  const names = new Set(tests.map((one) => one.name));
  let unique = [...ancestors(current).map((one) => one.name), name].join(' ').trim();
  while (names.has(unique)) unique += "'";
  tests.push({ name: unique, body, suite: current });
}

function group(name, body) {
  const outer = current;
  current = suite(name, outer);
  body();
  current = outer;
}

/** Outermost first. */
function ancestors(inner) {
  return inner === undefined ? [] : [...ancestors(inner.parent), inner];
}

function each(act) {
  return (table) => (name, body) =>
    table.forEach((row, index) => {
      const values = Array.isArray(row) ? row : [row];
      act(`${name} #${index}`, () => body(...values));
    });
}

export const test = Object.assign((name, body) => define(String(name), body), { each: each(define) });
export const it = test;
export const describe = Object.assign((name, body) => group(String(name), body), { each: each(group) });
export const beforeAll = (hook) => current.hooks.beforeAll.push(hook);
export const beforeEach = (hook) => current.hooks.beforeEach.push(hook);
export const afterEach = (hook) => current.hooks.afterEach.push(hook);
export const afterAll = (hook) => current.hooks.afterAll.push(hook);

/** Runs one test with its hooks. @returns why it failed, if it did */
export async function runTest({ body, suite: own }) {
  const around = ancestors(own);
  const failures = [];
  const attempt = async (act) => {
    try {
      await act();
    } catch (error) {
      failures.push(error);
    }
  };
  const fail = (error) => failures.push(error);
  process.on('uncaughtException', fail);
  for (const one of around.filter(({ isSetUp }) => !isSetUp)) {
    one.isSetUp = true;
    for (const hook of one.hooks.beforeAll) await attempt(hook);
  }
  for (const one of around) for (const hook of one.hooks.beforeEach) await attempt(hook);
  await attempt(body);
  for (const one of around.toReversed()) for (const hook of one.hooks.afterEach) await attempt(hook);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('uncaughtException', fail);
  return failures.length === 0 ? undefined : String(failures[0]?.stack ?? failures[0]);
}
