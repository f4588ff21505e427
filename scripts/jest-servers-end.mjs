// Ends the servers that test files of this run have shared.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export default async function endServers() {
  const folder = process.env.TEST_SERVERS;
  const notes = readdirSync(folder).filter((name) => name.endsWith('.json'));
  for (const note of notes) await end(JSON.parse(readFileSync(join(folder, note), 'utf8')));
  rmSync(folder, { recursive: true, force: true });
}

/** SIGQUIT: a PostgreSQL takes its processes with it, and ends without writing what nobody will read. */
async function end({ pid, dir }) {
  if (pid === undefined) return;
  process.kill(pid, 'SIGQUIT');
  for (let i = 0; i < 100 && isAlive(pid); i++) await sleep(20);
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
