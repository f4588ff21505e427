import { chart } from './chart.js';
import { controls } from './control.js';
import { element, setText } from './dom.js';
import { figure, gauge } from './figure.js';
import { count, milliseconds, rate, seconds, time, times } from './format.js';
import { helped } from './help.js';
import { reasons } from './reasons.js';
import { shares } from './shares.js';

export const STATES = {
  closed: 'Closed',
  open: 'Open',
  'half-open': 'Half-open',
  'forced-open': 'Forced open',
  disabled: 'Off',
};

const LINES = [
  { name: 'attempts', dash: [6, 4] },
  { name: 'operations' },
  { name: 'failed', dash: [2, 3], width: 3 },
];

/** The row of one dependency. */
export function dependencyRow(name) {
  const badge = helped('breaker', '', { class: 'badge' });
  const note = element('p', { class: 'note' });
  const faults = element('div');
  const title = element('h3', { text: name });
  const who = element('div', { class: 'who', children: [title, badge, note, faults] });
  const parts = figures();
  const list = element('dl', { class: 'figures', children: Object.values(parts).map(({ node }) => node) });
  const place = element('div', { class: 'chart', role: 'img' });
  const article = element('article', {
    class: 'card row',
    'data-dependency': name,
    children: [who, list, place],
  });
  const plot = chart(place, LINES, { bands: true });
  const control = controls(name);
  article.append(control.node);
  return {
    node: article,
    allow: control.allow,
    set({ row, series }, at) {
      article.dataset.breaker = row.breaker === null ? 'none' : row.breaker.state;
      setText(badge, badgeText(row.breaker, at));
      setText(note, noteText(row.breaker));
      showFaults(faults, row.faults, at);
      fill(parts, row);
      plot.set([series.at, series.attempts, series.operations, series.failed, series.open]);
      place.setAttribute(
        'aria-label',
        `${name}: ${rate(row.operations)} operations and ${rate(row.attempts)} attempts per second, ${rate(row.failed)} failed`,
      );
    },
  };
}

function figures() {
  return {
    operations: figure('operations', 'Operations'),
    attempts: figure('attempts', 'Attempts'),
    amplification: figure('amplification', 'Amplification'),
    p50: figure('p50', 'p50'),
    p99: figure('p99', 'p99'),
    inFlight: figure('inFlight', 'In flight'),
    budget: gauge('budget', 'Retries left'),
    slots: gauge('slots', 'Slots in use'),
    outcomes: shares(),
    refusals: reasons('refusals', 'Refused or given up, last minute', { word: refusalWord }),
  };
}

function fill(parts, { budget, slots, ...row }) {
  parts.operations.set(rate(row.operations), 'per s');
  parts.attempts.set(rate(row.attempts), 'per s');
  parts.amplification.set(times(row.amplification));
  parts.p50.set(milliseconds(row.p50));
  parts.p99.set(milliseconds(row.p99));
  parts.inFlight.set(count(row.inFlight));
  parts.outcomes.set(row.outcomes);
  parts.refusals.set(row.refusals);
  parts.budget.node.hidden = budget === null;
  if (budget !== null) {
    const left = Math.max(0, budget.allowed - budget.granted);
    parts.budget.set(count(left), `of ${count(budget.allowed)}`);
    parts.budget.fill(budget.granted, budget.allowed);
  }
  parts.slots.node.hidden = slots === null;
  if (slots !== null) {
    const { inUse, queued, detached, limit } = slots;
    const stuck = detached > 0 ? `, ${count(detached)} detached` : '';
    parts.slots.set(count(inUse), `of ${count(limit)}, ${count(queued)} queued${stuck}`);
    parts.slots.fill(inUse, limit);
  }
}

function badgeText(breaker, at) {
  if (breaker === null) return 'No breaker';
  const { state, opensUntil } = breaker;
  return opensUntil === undefined ? STATES[state] : `${STATES[state]}, ${seconds(opensUntil - at)} left`;
}

function noteText(breaker) {
  if (breaker === null) return '';
  const { mode, keys, notClosed, calls, failures, state, since } = breaker;
  const parts = [];
  if (since !== undefined) parts.push(`since ${time(since)}`);
  if (mode === 'observe') parts.push('observing only: refuses nothing');
  if (keys > 1) parts.push(`${count(notClosed)} of ${count(keys)} breakers not closed`);
  if (state === 'closed' && calls > 0)
    parts.push(`${count(failures)} of ${count(calls)} calls in its window failed`);
  return parts.join('; ');
}

function refusalWord(reason) {
  return reason.replace(/^stopped-/, 'no further attempt: ');
}

function showFaults(place, faults, at) {
  const lines = faults.map((fault) => faultText(fault, at));
  if (lines.join() === [...place.children].map(({ textContent }) => textContent).join()) return;
  place.replaceChildren(...lines.map((text) => element('p', { class: 'fault', text })));
}

function faultText({ share, latencyMs, status, error, struck, until }, at) {
  const what = [];
  if (latencyMs > 0) what.push(`${milliseconds(latencyMs)} late`);
  if (status !== undefined) what.push(`status ${status}`);
  if (error !== undefined) what.push(error);
  const part = share < 1 ? `, ${Math.round(share * 100)} % of attempts` : '';
  const left = until === undefined ? '' : `, ${seconds(until - at)} left`;
  return `Injected: ${what.join(', ')}${part} (${count(struck)} so far${left})`;
}
