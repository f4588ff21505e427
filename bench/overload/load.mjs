import { Agent, get } from 'node:http';

/** What an answer is worth nothing after; the caller says so in the header. */
const WORTHLESS_AFTER_MS = 500;
/** One in so many requests is critical, where classes are told apart. */
const CRITICAL_EVERY = 5;

/**
 * Arrivals at a fixed rate, whatever becomes of them: those who come do not know how busy the server is.
 * @param hangUpMs when a client gives up its connection: at its deadline, or later, as a proxy that keeps waiting
 * @param keepAlive clients ask again on the connections they have
 * @param classes tells a fifth of the requests as critical, the others as sheddable
 * @returns good: durations of good answers in time; refused: the same of refusals in time; late: all that came to
 * nothing by the deadline; critical: how many of those came, and how many were answered well
 */
export async function offer({ port, perSecond, ms, hangUpMs, keepAlive = true, classes = false }) {
  const seen = { sent: 0, good: [], refused: [], late: 0, failed: 0, critical: { sent: 0, good: 0 } };
  const agent = new Agent({ keepAlive, maxSockets: Number.POSITIVE_INFINITY });
  const began = performance.now();
  const asked = [];
  while (performance.now() - began < ms) {
    const due = ((performance.now() - began) * perSecond) / 1000;
    while (asked.length < due) {
      asked.push(ask({ port, agent, hangUpMs, criticality: classes ? classOf(asked.length) : undefined }));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  for (const answer of await Promise.all(asked)) count(seen, answer);
  agent.destroy();
  return seen;
}

function classOf(number) {
  return number % CRITICAL_EVERY === 0 ? 'critical' : 'sheddable';
}

function count(seen, { status, tookMs, criticality }) {
  const isGood = status === 200 && tookMs <= WORTHLESS_AFTER_MS;
  seen.sent++;
  if (criticality === 'critical') {
    seen.critical.sent++;
    if (isGood) seen.critical.good++;
  }
  if (isGood) seen.good.push(tookMs);
  else if (tookMs > WORTHLESS_AFTER_MS) seen.late++;
  else if (status === 503) seen.refused.push(tookMs);
  else seen.failed++;
}

function ask({ port, agent, hangUpMs, criticality }) {
  return new Promise((resolve) => {
    const began = performance.now();
    const end = (status, tookMs = performance.now() - began) => {
      clearTimeout(patience);
      resolve({ status, tookMs, criticality });
    };
    const request = get({
      host: '127.0.0.1',
      port,
      agent,
      headers: {
        'x-request-budget-ms': String(WORTHLESS_AFTER_MS),
        ...(criticality && { 'x-request-criticality': criticality }),
      },
    });
    const patience = setTimeout(() => {
      end(0, Number.POSITIVE_INFINITY);
      request.destroy();
    }, hangUpMs);
    request.on('response', (response) => response.resume().on('end', () => end(response.statusCode)));
    request.on('error', () => end(0));
  });
}
