// Ends a run with the plain line 'N passed, N failed, N skipped' on stdout.
export default class PlainReporter {
  onRunComplete(_contexts, r) {
    const failed = r.numFailedTests + r.numRuntimeErrorTestSuites;
    const skipped = r.numPendingTests + r.numTodoTests;
    process.stdout.write(`\n${r.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
