import { chart } from './chart.js';
import { element } from './dom.js';
import { figure, gauge } from './figure.js';
import { count, milliseconds, NOTHING, rate } from './format.js';
import { reasons } from './reasons.js';

const CLASSES = {
  critical_plus: 'critical plus',
  critical: 'critical',
  sheddable_plus: 'sheddable plus',
  sheddable: 'sheddable',
};
const LINES = [{ name: 'operations' }, { name: 'failed', dash: [2, 3], width: 3 }];

/** The gate. */
export function inbound(place) {
  const parts = {
    admitted: figure('admitted', 'Let in'),
    inFlight: gauge('inboundInFlight', 'In flight'),
    queued: figure('inboundQueued', 'Waiting'),
    left: figure('left', 'Time left on arrival'),
    shed: figure('shed', 'Turned away by class, last minute', { wide: true }),
    reasons: reasons('shed', 'Turned away by reason, last minute', { prefix: 'gate-' }),
  };
  const classes = element('ul', { class: 'list' });
  parts.shed.dd.append(classes);
  const list = element('dl', { class: 'figures', children: Object.values(parts).map(({ node }) => node) });
  const drawing = element('div', { class: 'chart', role: 'img' });
  place.append(element('div', { class: 'card inbound', children: [list, drawing] }));
  const plot = chart(drawing, LINES);
  let shown = '';
  return {
    set({ row, series }) {
      parts.admitted.set(rate(row.admitted), 'per s');
      parts.inFlight.set(count(row.inFlight), row.limit === null ? 'no limit' : `of ${count(row.limit)}`);
      parts.inFlight.fill(row.inFlight, row.limit ?? 0);
      const stuck = row.detached > 0 ? `and ${count(row.detached)} detached` : '';
      parts.queued.set(count(row.queued), stuck);
      parts.left.set(
        milliseconds(row.left50),
        row.left10 === null ? '' : `10 % under ${milliseconds(row.left10)}`,
      );
      const entries = Object.entries(CLASSES).map(
        ([name, word]) => `${count(row.shedByClass[name])} ${word}`,
      );
      if (shown !== entries.join()) {
        shown = entries.join();
        classes.replaceChildren(...entries.map((text) => element('li', { text })));
      }
      parts.reasons.set(row.shedByReason);
      plot.set([series.at, series.admitted, series.shed]);
      const shed = row.shed === null ? NOTHING : rate(row.shed);
      drawing.setAttribute(
        'aria-label',
        `Inbound: ${rate(row.admitted)} let in and ${shed} turned away per second`,
      );
    },
  };
}
