import { mayControl } from './control.js';
import { dependencyRow, STATES } from './dependency-row.js';
import { setText } from './dom.js';
import { follow } from './feed.js';
import { seconds, time } from './format.js';
import { inbound } from './inbound.js';
import { advance, begin } from './state.js';
import { showTimeline } from './timeline.js';

const byId = (id) => document.getElementById(id);
const rows = new Map();
const gate = inbound(byId('inbound'));
const seen = new Map();
let state;
let isAllowed = false;

function show() {
  for (const [name, dependency] of state.dependencies) rowOf(name).set(dependency, state.at);
  for (const [name, row] of rows) {
    if (state.dependencies.has(name)) continue;
    row.node.remove();
    rows.delete(name);
  }
  gate.set(state.inbound);
  showTimeline(state.timeline);
  setText(byId('summary'), summary());
  setText(byId('connection-text'), `live, ${time(state.at)}`);
  const { pid, id, startedAt } = state.instance;
  setText(byId('process'), `process ${pid}, instance ${id}, up ${seconds(state.at - startedAt)}`);
}

function rowOf(name) {
  let row = rows.get(name);
  if (row === undefined) {
    row = dependencyRow(name);
    row.allow(isAllowed);
    rows.set(name, row);
    byId('rows').append(row.node);
  }
  return row;
}

/** In a sentence; it changes with the states, not with the seconds. */
function summary() {
  if (state.phase !== 'open') return `The service is ${state.phase}: it takes no new requests.`;
  const troubled = [];
  for (const [name, { row }] of state.dependencies) {
    const { breaker } = row;
    if (breaker === null || breaker.state === 'closed' || breaker.state === 'disabled') continue;
    troubled.push(`${name} is ${STATES[breaker.state].toLowerCase()}`);
  }
  if (state.dependencies.size === 0) return 'No dependency is configured.';
  return troubled.length === 0 ? 'All breakers are closed.' : `${troubled.join(', ')}.`;
}

function introduce({ service, pid, id }) {
  document.title = `${service}: Spillway`;
  setText(byId('service'), service);
  seen.set(id, `process ${pid} (${id})`);
  setText(byId('seen'), [...seen.values()].join(', '));
}

function allow() {
  mayControl().then((answer) => {
    isAllowed = answer;
    for (const row of rows.values()) row.allow(isAllowed);
  }, console.warn);
}

const connect = follow({
  onSnapshot(snapshot) {
    state = begin(snapshot);
    introduce(state.instance);
    show();
    allow();
  },
  onTick(tick) {
    if (state === undefined) return;
    advance(state, tick);
    show();
  },
  onState(name) {
    byId('connection').dataset.state = name;
    if (name === 'lost') setText(byId('connection-text'), 'connection lost, trying again');
  },
});
byId('anew').addEventListener('click', connect);
