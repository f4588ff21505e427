// Long test files go first, in workers whose heaps are still small and where no other file has switched on the hooks of
// AsyncLocalStorage, which slow down every promise of the process from then on. Jest's own order needs a cache of an
// earlier run, which a fresh clone does not have.
const LONG_FIRST = [
  'core/test/properties/fused.test.ts',
  'core/test/properties/rules.test.ts',
  'idempotency/test/http/contested-keys.test.ts',
  '/test/conformance',
  'core/test/leaks/endings.test.ts',
  'core/test/properties/',
  'core/test/cases/accounting.test.ts',
  'core/test/cases/processes.test.ts',
];

export default class LongFirst {
  sort(tests) {
    return [...tests].sort((a, b) => rank(a.path) - rank(b.path) || (a.path < b.path ? -1 : 1));
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}

function rank(path) {
  const at = LONG_FIRST.findIndex((part) => path.includes(part));
  return at === -1 ? LONG_FIRST.length : at;
}
