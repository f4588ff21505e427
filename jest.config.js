// What `npm test` leaves out, so that it takes two minutes (CI=1 npm test runs that too): pages in Chromium, scrapes by a
// real Prometheus, the whole of conformance on older frameworks, every store on every framework, contests of many
// processes, simulated hours and counts over thousands of operations are for CI and the nightly run; processes that are
// killed and servers that are taken away want minutes and an idle machine, and are for the nightly run alone.
const PAGES = ['packages/simulator/test/html/', 'packages/dashboard/test/page/'];
const SCRAPES = ['packages/telemetry/test/promtool/'];
const OLDER = ['packages/express/test/conformance-express-4', 'packages/koa/test/conformance-koa-2'];
const CONTESTS = [
  'packages/idempotency/test/http/contested-keys',
  'packages/idempotency/test/stores/interleavings',
  'packages/idempotency/test/cases/sql-clocks',
];
const LOADS = [
  'packages/core/test/inbound/(healthy-|loop-ceiling)',
  'packages/core/test/leaks/endings',
  'packages/dashboard/test/feed/',
  'packages/telemetry/test/(log|prometheus)/conservation',
  'packages/telemetry/test/cases/cardinality',
  'examples/chain/test/',
];
const SIMULATIONS = ['packages/simulator/test/(presets|run)/', 'packages/cli/test/commands/simulate'];
const STORES = [
  'packages/idempotency/test/stores/(conformance|postgres)',
  'packages/idempotency/test/http/(frameworks|transaction)',
  'packages/idempotency/test/cases/(what-is-stored|what-a-key-names|failing-stores)',
  'packages/idempotency/test/outbox/outbox',
];
const OUTAGES = [
  'packages/idempotency/test/faults/',
  'packages/idempotency/test/outbox/killed-process',
  'packages/idempotency/test/cases/(atomic-claim|process-dies|hanging-store)',
];
const FOR_CI = [...PAGES, ...SCRAPES, ...OLDER, ...CONTESTS, ...LOADS, ...SIMULATIONS, ...STORES];
const isSet = (name) => (process.env[name] ?? '') !== '';
const leftOut = isSet('NIGHTLY') ? [] : isSet('CI') ? OUTAGES : [...FOR_CI, ...OUTAGES];

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // far above what any test takes: a busy machine is no failure
  testTimeout: 30_000,
  testPathIgnorePatterns: ['/node_modules/', ...leftOut],
  testMatch: ['<rootDir>/packages/*/test/**/*.test.ts', '<rootDir>/examples/*/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  globalSetup: '<rootDir>/scripts/jest-servers.mjs',
  globalTeardown: '<rootDir>/scripts/jest-servers-end.mjs',
  setupFilesAfterEnv: ['<rootDir>/scripts/jest-setup.mjs'],
  moduleNameMapper: {
    // tests run on the sources, so coverage and mutants need no build
    '^@spillway/core/check$': '<rootDir>/packages/core/src/check/entry.ts',
    '^@spillway/core/options$': '<rootDir>/packages/core/src/config/option-table.ts',
    '^@spillway/core/instruments$': '<rootDir>/packages/core/src/telemetry/instruments.ts',
    '^@spillway/core/(async-local|cls-hooked)$': '<rootDir>/packages/core/src/context/$1.ts',
    '^@spillway/testing/conformance$': '<rootDir>/packages/testing/src/conformance/index.ts',
    '^@spillway/idempotency/(memory|sqlite|redis|postgres)$':
      '<rootDir>/packages/idempotency/src/stores/$1.ts',
    '^@spillway/telemetry/(prometheus|opentelemetry|log|deadletter)$':
      '<rootDir>/packages/telemetry/src/$1/index.ts',
    '^@spillway/idempotency/(express|koa|fastify)$': '<rootDir>/packages/idempotency/src/frameworks/$1.ts',
    '^@spillway/idempotency/outbox$': '<rootDir>/packages/idempotency/src/outbox/index.ts',
    '^@spillway/([a-z-]+)$': '<rootDir>/packages/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2022',
          transform: { verbatimModuleSyntax: true },
        },
        sourceMaps: 'inline',
      },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/.stryker-tmp/', '<rootDir>/.plant/'],
  reporters: ['default', '<rootDir>/.ci/jest-plain.js'],
  // v8 coverage slows down with the square of the number of test files in ESM mode
  coverageProvider: 'babel',
  // the default on 2 cores is 1, which runs all files in one ever-growing process; many files wait for sockets, so two more
  // workers have something to do
  maxWorkers: isSet('CI') ? 2 : 4,
  // modules of a finished file stay in its worker's heap: a new worker costs less than collecting a large one
  workerIdleMemoryLimit: '400MB',
  testSequencer: '<rootDir>/scripts/jest-long-first.mjs',
  collectCoverageFrom: ['packages/*/src/**/*.ts'],
  coverageReporters: ['text', 'lcov'],
};
