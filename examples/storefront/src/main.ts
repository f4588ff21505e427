import { parseArgs } from 'node:util';
import { type RunReport, watch } from './measure/watch.js';
import { Children } from './processes/children.js';
import { SIDES, type Targets } from './processes/messages.js';
import { Progress } from './show/progress.js';
import { table } from './show/table.js';
import { addresses, tryIt } from './show/try-it.js';
import { NAMES } from './show/words.js';

const USAGE = `npm start [-- --exit] [-- --json] [-- --traces] [-- --framework express|koa|fastify]
  --exit       end after the table instead of serving until Ctrl-C
  --json       after the table, the figures in one line of JSON
  --traces     OpenTelemetry traces of calls that did not go smoothly, at most one a second
  --framework  what the storefront with Spillway is made with, express if not said`;

const FRAMEWORKS: readonly string[] = ['express', 'koa', 'fastify'];

interface Flags {
  readonly exit: boolean;
  readonly json: boolean;
  readonly traces: boolean;
  readonly framework: string;
}

/** Ends with the exit code: 0 fine, 1 something failed, 130 interrupted before there was a result. */
async function run(flags: Flags): Promise<number> {
  const children = new Children();
  const interrupted = interruption();
  try {
    const result = await Promise.race([play(children, flags), children.failed, interrupted]);
    if (result === 'interrupted') return 130;
    if (result.complaint !== undefined) throw new Error(result.complaint);
    if (flags.exit) return 0;
    console.log(`\n${tryIt(result.quotes, result.targets)}`);
    await Promise.race([children.failed, interrupted]);
    return 0;
  } catch (error) {
    console.error(`storefront: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await children.stop();
  }
}

/** Ctrl-C, a signal, or nobody left to read what we print. */
function interruption(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'));
    process.stdout.once('error', () => resolve('interrupted'));
  });
}

interface Result {
  readonly quotes: string;
  readonly targets: Targets;
  readonly complaint: string | undefined;
}

async function play(children: Children, flags: Flags): Promise<Result> {
  const quotes = await children.start('quotes');
  const [storefront, twin, load] = await Promise.all([
    children.start('storefront', {
      QUOTES_URL: `${quotes.url}/spillway`,
      TRACES: flags.traces ? '1' : '',
      FRAMEWORK: flags.framework,
    }),
    children.start('twin', { QUOTES_URL: `${quotes.url}/plain` }),
    children.start('load'),
  ]);
  const targets = { spillway: storefront.url, plain: twin.url };
  console.log(`${addresses(quotes.url, targets)}\n`);
  const progress = new Progress(process.stdout);
  storefront.onReport((report) => {
    if (report.type === 'trace') progress.say(report.text);
  });
  const report = await watch({ quotes, load, targets }, (picture, elapsed) =>
    progress.show(picture, elapsed),
  );
  progress.leave();
  console.log(`\n${table(report)}`);
  if (flags.json) console.log(JSON.stringify(report));
  return { quotes: quotes.url, targets, complaint: complain(report) };
}

/** A run that proves nothing is a failure: both sides must work before and after the outage. */
function complain(report: RunReport): string | undefined {
  const lost = SIDES.filter((side) => report[side].recoveredAfter === null).map((side) => NAMES[side]);
  return lost.length === 0 ? undefined : `no price came from ${lost.join(' and ')} after the outage`;
}

function flags(): Flags | undefined {
  try {
    const { values } = parseArgs({
      options: {
        exit: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        traces: { type: 'boolean', default: false },
        framework: { type: 'string', default: 'express' },
      },
    });
    if (!FRAMEWORKS.includes(values.framework))
      throw new Error(`--framework is ${values.framework}, allowed is ${FRAMEWORKS.join(', ')}`);
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    return undefined;
  }
}

const asked = flags();
if (asked === undefined) process.exitCode = 2;
else {
  void run(asked).then((code) => {
    process.exitCode = code;
  });
}
