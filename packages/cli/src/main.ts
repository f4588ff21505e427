#!/usr/bin/env node
import { run } from './run.js';
import { processTerminal } from './terminal.js';

// whoever reads may have seen enough, as `head` does
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

run(process.argv.slice(2), processTerminal()).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(
      `spillway: a bug of ours, please report it: ${error instanceof Error ? error.stack : error}\n`,
    );
    process.exitCode = 70;
  },
);
