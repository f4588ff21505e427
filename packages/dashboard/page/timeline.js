import { element } from './dom.js';
import { seconds, time } from './format.js';

const SHOWN = 50;
const place = document.getElementById('timeline');
const empty = document.getElementById('timeline-empty');
let newest;

/** What changed, the newest first. */
export function showTimeline(moments) {
  const last = moments.at(-1);
  if (last === newest && place.childElementCount > 0) return;
  newest = last;
  empty.hidden = moments.length > 0;
  place.replaceChildren(...moments.slice(-SHOWN).reverse().map(line));
}

function line(moment) {
  const { at, dependency } = moment;
  const iso = new Date(at).toISOString();
  return element('li', {
    children: [
      element('time', { datetime: iso, title: iso, text: time(at) }),
      element('b', { text: dependency }),
      element('span', { text: momentText(moment) }),
    ],
  });
}

export function momentText({ kind, key, dependency, from, to, openMs, text }) {
  if (kind === 'control') return `somebody ${text} from a dashboard`;
  if (kind === 'fault') return text;
  const which = key === undefined || key === dependency ? '' : ` (${key})`;
  const lasts = openMs === undefined ? '' : ` for ${seconds(openMs)}`;
  return `${from} → ${to}${lasts}${which}`;
}
