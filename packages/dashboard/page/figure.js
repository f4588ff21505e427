import { element, setText } from './dom.js';
import { helped } from './help.js';

/** A named figure with its help, to be put into a `dl`. */
export function figure(name, label, { wide = false } = {}) {
  const value = element('span');
  const aside = element('small');
  const dd = element('dd', { children: [value, ' ', aside] });
  const node = element('div', {
    class: wide ? 'figure wide' : 'figure',
    'data-figure': name,
    children: [element('dt', { children: [helped(name, label)] }), dd],
  });
  return {
    node,
    dd,
    set(text, more = '') {
      setText(value, text);
      setText(aside, more);
    },
  };
}

/** A figure with a bar of how full something is. The figure says it in words, so the bar is for the eye alone. */
export function gauge(name, label) {
  const made = figure(name, label);
  const filled = element('span');
  const rest = element('i');
  const bar = element('div', { class: 'gauge', 'aria-hidden': 'true', children: [filled, rest] });
  made.dd.append(bar);
  return {
    node: made.node,
    set: made.set,
    fill(part, all) {
      const share = all > 0 ? Math.min(1, Math.max(0, part / all)) : 0;
      filled.style.flexGrow = String(share);
      rest.style.flexGrow = String(1 - share);
      bar.toggleAttribute('data-full', share >= 1);
    },
  };
}
