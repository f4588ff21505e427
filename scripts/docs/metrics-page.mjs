// docs/reference/metrics.md, from the instrument table.
import { FIGURES, INSTRUMENTS, SERVICE } from '../../packages/core/dist/telemetry/instruments.js';

const GROUPS = [
  ['Operations and attempts', /^spillway_(operation|attempt|retr)/],
  ['Breakers', /^spillway_breaker/],
  ['Bulkheads', /^spillway_bulkhead/],
  ['Fallbacks and faults', /^spillway_(fallbacks|faults)/],
  ['Inbound', /^spillway_inbound/],
  ['Idempotency keys', /^spillway_idempotency/],
  ['Telemetry itself', /^spillway_(observer|telemetry)/],
];

const code = (text) => `\`${text}\``;

function feedOf({ events, snapshot }) {
  if (snapshot !== undefined) return `snapshot ${code(snapshot)}`;
  return events.length === 0 ? '-' : events.map(code).join(', ');
}

function row(instrument) {
  const { name, otel, kind, unit, labels, help } = instrument;
  const named = labels.map((label) => code(label.name)).join(' ') || '-';
  return `| ${code(name)} | ${kind} | ${named} | ${help} | ${code(otel)} ${code(unit)} | ${feedOf(instrument)} |`;
}

function group([title, pattern]) {
  const rows = INSTRUMENTS.filter(({ name }) => pattern.test(name)).map(row);
  return `### ${title}

| Prometheus | kind | labels | what it says | OpenTelemetry, unit | moved by |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function valuesOf({ name, values, limit }) {
  if (values !== undefined) return values.map(code).join(' ');
  return name === 'dependency' ? 'as configured' : `any; at most ${limit} of them`;
}

function labelRows() {
  const labels = new Set(INSTRUMENTS.flatMap((instrument) => instrument.labels));
  return [...labels].map((label) => {
    const on = INSTRUMENTS.filter((instrument) => instrument.labels.includes(label)).map(({ name }) => name);
    const where = on.length > 3 ? `${on.length} instruments` : on.map(code).join(' ');
    return `| ${code(label.name)} | ${code(label.attribute)} | ${valuesOf(label)} | ${label.help} | ${where} |`;
  });
}

function bucketRows() {
  const rows = INSTRUMENTS.filter(({ kind }) => kind === 'histogram');
  return rows.map(({ name, unit, buckets }) => `| ${code(name)} | ${code(unit)} | ${buckets.join(' ')} |`);
}

function figure({ legend, help, promql }) {
  return `### ${legend[0].toUpperCase()}${legend.slice(1)}

${help}

\`\`\`promql
${promql}
\`\`\`
`;
}

export function metricsPage() {
  const strays = INSTRUMENTS.filter(({ name }) => !GROUPS.some(([, pattern]) => pattern.test(name)));
  if (strays.length > 0)
    throw new Error(`no group on the page for ${strays.map(({ name }) => name).join(', ')}`);
  return `# Metrics

What Spillway tells Prometheus and OpenTelemetry, generated from the one instrument table by
\`node scripts/generate-docs.mjs\`. How to attach them: [guide](../guide/telemetry.md).

**Operations** are what users saw; **attempts** are physical work. They never share a series: an operation of three
attempts is one failure to a user and three requests to the dependency.

Beside the labels listed here every series has \`${SERVICE.name}\` (\`${SERVICE.attribute}\`). ${SERVICE.help}

## Instruments

${GROUPS.map(group).join('\n')}
## Labels

No label holds a path, an id, a key, a message or anything a request brings. Labels without a fixed set of values tell
so many values apart (per dependency, if the instrument has that label); what comes later counts as \`other\`, and
\`spillway_telemetry_folded_total\` tells how often.

| label | attribute | values | meaning | on |
|---|---|---|---|---|
${labelRows().join('\n')}

## Buckets

| histogram | unit | upper bounds |
|---|---|---|
${bucketRows().join('\n')}

## Figures made of them

Per dependency, over five minutes; the Grafana dashboard and the alerts in \`contrib/\` use the same.

${FIGURES.map(figure).join('\n')}`;
}
