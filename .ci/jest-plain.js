import { writeFileSync } from 'node:fs';

// Ends a run with the plain line 'N passed, N failed, N skipped'. Where TEST_COUNTS names a file, the counts go there
// instead, for whoever adds them up.
export default class PlainReporter {
  onRunComplete(_contexts, r) {
    const failed = r.numFailedTests + r.numRuntimeErrorTestSuites;
    const skipped = r.numPendingTests + r.numTodoTests;
    const file = process.env.TEST_COUNTS;
    if (file) writeFileSync(file, `${r.numPassedTests} ${failed} ${skipped}\n`);
    else process.stdout.write(`\n${r.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
