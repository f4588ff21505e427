import { element } from './dom.js';
import { figure } from './figure.js';
import { count } from './format.js';

/** Reasons of the last minute, each with a link to what it means. */
export function reasons(name, label, { prefix = '', word = (reason) => reason } = {}) {
  const made = figure(name, label, { wide: true });
  const list = element('ul', { class: 'list' });
  made.dd.append(list);
  let shown = '';
  return {
    node: made.node,
    set(counts) {
      const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
      made.node.hidden = entries.length === 0;
      const text = JSON.stringify(entries);
      if (text === shown) return;
      shown = text;
      list.replaceChildren(
        ...entries.map(([reason, times]) =>
          element('li', {
            children: [
              `${count(times)} `,
              element('a', { href: `reasons.html#${prefix}${reason}`, text: word(reason) }),
            ],
          }),
        ),
      );
    },
  };
}
