import { Tally } from './measure/tally.js';
import { onOrder, report } from './processes/announce.js';
import { SIDES, type Side, type Targets } from './processes/messages.js';
import { RATE_PER_SECOND, RUN_MS } from './scenario.js';

/** A caller who gives up later than either storefront does. */
const PATIENCE_MS = 5_000;
const PERIOD_MS = 1_000 / RATE_PER_SECOND;
const REQUESTS = Math.round(RUN_MS / PERIOD_MS);
/** Sent one after another before the clock starts: the first requests of a process are slow whatever guards them. */
const WARM_UP_REQUESTS = 50;

interface Lane {
  readonly url: string;
  readonly tally: Tally;
  /** Half a period between the sides, so that they do not compete for the same instant. */
  readonly offsetMs: number;
}

async function warmUp({ url }: Lane): Promise<void> {
  for (let i = 0; i < WARM_UP_REQUESTS; i++) {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (response.status !== 200) throw new Error(`${url} answers ${response.status} although quotes is well`);
    await response.text();
  }
}

/** Sends every request when it is due, answered or not what went before: an open loop, like real users. */
function run(lanes: readonly Lane[]): void {
  report({ type: 'begins' });
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  const pending = new Set<Promise<void>>();
  const ticker = setInterval(() => {
    for (const each of lanes) sendDue(each, elapsed, pending);
    if (lanes.some(({ tally }) => tally.requests < REQUESTS)) return;
    clearInterval(ticker);
    void Promise.all(pending).then(() => {
      clearInterval(teller);
      tell(lanes, 'done', elapsed());
    });
  }, 2);
  const teller = setInterval(() => tell(lanes, 'tally', elapsed()), 200);
}

function lane(side: Side, targets: Targets, index: number): Lane {
  return { url: `${targets[side]}/price/ACME`, tally: new Tally(), offsetMs: (index * PERIOD_MS) / 2 };
}

function sendDue(lane: Lane, elapsed: () => number, pending: Set<Promise<void>>): void {
  const due = 1 + Math.floor((elapsed() - lane.offsetMs) / PERIOD_MS);
  while (lane.tally.requests < Math.min(due, REQUESTS)) {
    const sent = send(lane, elapsed).finally(() => pending.delete(sent));
    pending.add(sent);
  }
}

async function send({ url, tally }: Lane, elapsed: () => number): Promise<void> {
  const sentAt = elapsed();
  tally.sent(sentAt);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const body = (await response.json()) as { degraded?: boolean };
    const kind = response.status !== 200 ? 'failed' : body.degraded === true ? 'degraded' : 'fresh';
    tally.answered(kind, sentAt, elapsed());
  } catch {
    // no answer at all: reset, given up, or not JSON
    tally.answered('unanswered', sentAt, elapsed());
  }
}

function tell(lanes: readonly Lane[], type: 'tally' | 'done', elapsedMs: number): void {
  const [spillway, plain] = lanes.map(({ tally }) => tally.summary());
  if (spillway !== undefined && plain !== undefined) report({ type, elapsedMs, sides: { spillway, plain } });
}

onOrder(async ({ targets }) => {
  if (targets === undefined) return;
  const lanes = SIDES.map((side, index) => lane(side, targets, index));
  await Promise.all(lanes.map(warmUp));
  run(lanes);
});
report({ type: 'ready' });
