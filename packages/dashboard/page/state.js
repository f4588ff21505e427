// The state of the page: what a snapshot said, moved on by ticks.

const KEPT_MOMENTS = 200;

/** Starts from a snapshot. Times of the charts are in seconds. */
export function begin(snapshot) {
  const dependencies = new Map();
  for (const [name, { row, series }] of Object.entries(snapshot.dependencies)) {
    dependencies.set(name, { row, series: inSeconds(series) });
  }
  const { row, series } = snapshot.inbound;
  return {
    ...snapshot,
    most: Math.ceil(snapshot.historyMs / snapshot.tickMs),
    dependencies,
    inbound: { row, series: inSeconds(series) },
  };
}

/** What is not in a tick is as it was. */
export function advance(state, tick) {
  state.at = tick.at;
  state.phase = tick.phase;
  for (const [name, row] of Object.entries(tick.rows)) {
    const known = state.dependencies.get(name);
    if (known === undefined) state.dependencies.set(name, { row, series: emptySeries() });
    else known.row = row;
  }
  for (const { row, series } of state.dependencies.values()) pushRow(series, row, tick.at, state.most);
  if (tick.inbound !== undefined) state.inbound.row = tick.inbound;
  const { row, series } = state.inbound;
  push(series, state.most, { at: tick.at / 1000, admitted: row.admitted, shed: row.shed });
  if (tick.timeline !== undefined) {
    state.timeline = [...state.timeline, ...tick.timeline].slice(-KEPT_MOMENTS);
  }
}

function pushRow(series, row, at, most) {
  const { operations, attempts, failed } = row;
  push(series, most, {
    at: at / 1000,
    operations,
    attempts,
    failed,
    open: row.breaker !== null && row.breaker.state !== 'closed' && row.breaker.state !== 'disabled' ? 1 : 0,
  });
}

function push(series, most, values) {
  for (const [name, value] of Object.entries(values)) {
    series[name].push(value);
    if (series[name].length > most) series[name].shift();
  }
}

function inSeconds(series) {
  return { ...series, at: series.at.map((at) => at / 1000) };
}

function emptySeries() {
  return { at: [], operations: [], attempts: [], failed: [], open: [] };
}
