import uPlot from './uplot.js';

const HEIGHT = 168;
const dark = matchMedia('(prefers-color-scheme: dark)');

function colour(name) {
  const probe = document.createElement('i');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * A small chart that follows the width of its place and the scheme of colours.
 * @param lines { name, dash, width } of each column after the first
 * @param bands whether the last column says where to shade
 */
export function chart(place, lines, { bands = false } = {}) {
  let plot;
  let columns = [[], ...lines.map(() => []), ...(bands ? [[]] : [])];
  const drawn = () => (bands ? columns.slice(0, -1) : columns);

  const make = () => {
    plot?.destroy();
    plot = new uPlot(optionsOf(place.clientWidth, lines, bands ? () => columns : undefined), drawn(), place);
  };
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width === 0) return;
    if (plot === undefined) make();
    else if (plot.width !== width) plot.setSize({ width, height: HEIGHT });
  }).observe(place);
  dark.addEventListener('change', () => plot && make());
  return {
    set(next) {
      columns = next;
      plot?.setData(drawn());
    },
  };
}

function optionsOf(width, lines, columns) {
  const quiet = colour('quiet');
  const line = colour('line');
  const axis = {
    stroke: quiet,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  };
  return {
    width,
    height: HEIGHT,
    padding: [8, 26, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, space: 70, values: (_, ticks) => ticks.map(clockOf), size: 26 },
      { ...axis, size: 42, space: 34 },
    ],
    series: [
      {},
      ...lines.map(({ name, dash, width: thick = 2 }) => ({
        label: name,
        stroke: colour(name),
        width: thick,
        dash,
        points: { show: false },
        spanGaps: false,
      })),
    ],
    hooks: columns === undefined ? {} : { drawClear: [(plot) => shade(plot, columns(), colour('band'))] },
  };
}

const minutes = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});

function clockOf(at) {
  return minutes.format(at * 1000).replace(/:00$/, '');
}

/** Where the breaker was not closed. */
function shade(plot, columns, fill) {
  const at = columns[0];
  const open = columns.at(-1);
  const { ctx } = plot;
  const { top, height } = plot.bbox;
  ctx.save();
  ctx.fillStyle = fill;
  for (let index = 0; index < at.length; index++) {
    if (open[index] !== 1) continue;
    const from = index === 0 ? at[index] : at[index - 1];
    let end = index;
    while (open[end + 1] === 1) end++;
    const left = plot.valToPos(from, 'x', true);
    ctx.fillRect(left, top, Math.max(2, plot.valToPos(at[end], 'x', true) - left), height);
    index = end;
  }
  ctx.restore();
}
