import { element, setText } from './dom.js';
import { figure } from './figure.js';
import { NOTHING, percent } from './format.js';

const OUTCOMES = ['success', 'degraded', 'failed', 'refused', 'cancelled'];

/** What users saw: a bar for the eye, and the shares in words. */
export function shares() {
  const made = figure('outcomes', 'What users saw, last minute', { wide: true });
  const bar = element('div', { class: 'shares', 'aria-hidden': 'true' });
  const list = element('ul', { class: 'list' });
  const parts = OUTCOMES.map((name) => {
    const span = element('span', { class: name });
    const words = element('span');
    const swatch = element('i', { class: `swatch ${name}`, 'aria-hidden': 'true' });
    const item = element('li', { 'data-outcome': name, children: [swatch, words] });
    bar.append(span);
    list.append(item);
    return { name, span, words, item };
  });
  made.dd.append(bar, list);
  return {
    node: made.node,
    set(outcomes) {
      const all = OUTCOMES.reduce((sum, name) => sum + outcomes[name], 0);
      made.set(all === 0 ? NOTHING : '');
      bar.hidden = all === 0;
      for (const { name, span, words, item } of parts) {
        span.style.flexGrow = String(outcomes[name]);
        span.hidden = outcomes[name] === 0;
        setText(words, `${percent(outcomes[name], all)} ${name}`);
        // the usual three are always there, the others when there is something to tell
        item.hidden = all === 0 || (outcomes[name] === 0 && (name === 'refused' || name === 'cancelled'));
      }
    },
  };
}
