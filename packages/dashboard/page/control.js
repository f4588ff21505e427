import { element, setText } from './dom.js';

const BREAKER = { forceOpen: 'Force open', forceClose: 'Close', observeOnly: 'Observe only', reset: 'Reset' };
const FAULTS = {
  'status 503': { status: 503 },
  'status 500': { status: 500 },
  'status 429': { status: 429 },
  'connection reset': { error: 'ECONNRESET' },
  'connection refused': { error: 'ECONNREFUSED' },
  'latency alone': {},
};

/** Asks the server whether this page may control; nothing is shown otherwise, and the server refuses all the same. */
export async function mayControl() {
  const answer = await fetch('control');
  return answer.ok && (await answer.json()).allowed === true;
}

async function order(body) {
  const answer = await fetch('control', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { done, detail } = await answer.json();
  return answer.ok ? `Done: ${done}.` : `Refused: ${detail}`;
}

/** Buttons for the breaker and for faults. */
export function controls(dependency) {
  const output = element('output');
  const send = (body) =>
    order({ dependency, ...body })
      .then((text) => setText(output, text))
      .catch((error) => setText(output, `Not sent: ${error.message}`));
  const node = element('details', {
    class: 'control',
    children: [
      element('summary', { text: 'Control' }),
      breakerForm(dependency, send),
      faultForm(dependency, send),
      output,
    ],
  });
  node.hidden = true;
  return {
    node,
    allow(isAllowed) {
      node.hidden = !isAllowed;
    },
  };
}

function breakerForm(dependency, send) {
  const buttons = Object.entries(BREAKER).map(([action, text]) =>
    element('button', { type: 'button', text, on: { click: () => send({ action }) } }),
  );
  return element('form', { 'aria-label': `Breaker of ${dependency}`, children: buttons });
}

function faultForm(dependency, send) {
  const kind = element('select', {
    name: 'kind',
    children: Object.keys(FAULTS).map((text) => element('option', { text, value: text })),
  });
  const share = number('share', '100', { min: 1, max: 100 });
  const latency = number('latency', '0', { min: 0, max: 60_000 });
  const minutes = number('minutes', '2', { min: 1, max: 60 });
  const inject = (event) => {
    event.preventDefault();
    const late = Number(latency.value);
    const fault = {
      ...FAULTS[kind.value],
      share: Number(share.value) / 100,
      ...(late > 0 || kind.value === 'latency alone' ? { latency: late } : {}),
      until: `${minutes.value}m`,
    };
    send({ action: 'inject', fault });
  };
  return element('form', {
    'aria-label': `Inject a fault into ${dependency}`,
    on: { submit: inject },
    children: [
      labelled('Fault', kind),
      labelled('% of attempts', share),
      labelled('Latency, ms', latency),
      labelled('For, min', minutes),
      element('button', { type: 'submit', text: 'Inject' }),
      element('button', { type: 'button', text: 'Take back', on: { click: () => send({ action: 'undo' }) } }),
    ],
  });
}

function number(name, value, range) {
  return element('input', { type: 'number', name, value, required: '', ...range });
}

function labelled(text, control) {
  return element('label', { children: [text, control] });
}
