// Servers that test files share. Starting a PostgreSQL costs more than most of the files that need one: the first file
// that asks starts it (packages/idempotency/test/support/real-servers.ts) and notes it in this folder; the run ends it.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function makeFolder() {
  process.env.TEST_SERVERS = mkdtempSync(join(tmpdir(), 'spillway-servers-'));
}
