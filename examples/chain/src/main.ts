// One request through four servers, the last of which fails every call: who retries, and how often?
//   npm run example:chain                     leaves the chain running
//   npm run example:chain -- --exit --json    ends after one line of JSON
import { Chain, type ChainCounts } from './chain.js';

const flags = new Set(process.argv.slice(2));
const isQuiet = flags.has('--json');

function say(line: string): void {
  if (!isQuiet) console.log(line);
}

async function measure(owner: 'here' | 'ignore'): Promise<ChainCounts> {
  const chain = await Chain.start(owner);
  const { status, shouldRetry } = await chain.ask();
  const counts = await chain.counts();
  const budgets = await chain.budgets();
  say(`  client got ${status}, X-Should-Retry: ${shouldRetry ?? 'not sent'}`);
  for (const [i, [name, count]] of Object.entries(counts).entries()) {
    say(`  ${name.padEnd(10)} ${String(count).padStart(3)} requests, the first with ${budgets[i]} ms left`);
  }
  await chain.stop();
  return counts;
}

async function main(): Promise<void> {
  say('4 attempts at each of 3 calling layers; the layer nearest to the failure owns the retries:');
  const owned = await measure('here');
  say('\nThe same, but every layer retries for itself:');
  const unowned = await measure('ignore');
  if (isQuiet) console.log(JSON.stringify({ owned, unowned }));
  if (flags.has('--exit')) return;
  const chain = await Chain.start('here');
  say(`\nThe chain listens: curl -i ${chain.url}   (Ctrl-C ends it)`);
  process.once('SIGINT', () => chain.stop());
}

await main();
