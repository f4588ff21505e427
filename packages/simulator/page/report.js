/* global uPlot, document, window, getComputedStyle, ResizeObserver */
// Runs in the page of a report: a table of the variants, and charts of the one that is chosen.
(() => {
  const report = JSON.parse(document.getElementById('report').textContent);
  const [BLUE, GREEN, RED] = ['#2f7de1', '#1d9a6c', '#c2374b'];
  const COLOURS = [BLUE, '#e07b00', GREEN, RED, '#8a5cd6', '#0b8fa3', '#b0851a', '#7a7f87'];
  const HEIGHT = 220;
  const plots = [];

  const number = (value) => (value === null || value === undefined ? '' : value.toLocaleString('en'));
  const time = (ms) =>
    ms === null ? 'never' : ms === undefined ? '' : ms < 1000 ? `${number(ms)} ms` : `${number(ms / 1000)} s`;
  const percent = (share) => `${number(Math.round(share * 1000) / 10)} %`;

  const COLUMNS = [
    ['operations', (v) => number(v.operations)],
    ['attempts', (v) => number(v.attempts)],
    ['amplification', (v) => number(v.amplification)],
    ['good', (v) => percent(v.goodShare)],
    ['good/s', (v) => number(v.goodput)],
    ['p50', (v) => time(v.p50Ms)],
    ['p99', (v) => time(v.p99Ms)],
    ['max', (v) => time(v.maxMs)],
    ['median failed', (v) => time(v.medianFailedMs)],
    ['recovery', (v) => time(v.recoveryMs)],
    ['wasted', (v) => number(v.wasted.count)],
  ];

  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function summary() {
    const heading = element(
      'tr',
      {},
      ...['variant', ...COLUMNS.map(([title]) => title)].map((textContent) => element('th', { textContent })),
    );
    const rows = Object.entries(report.variants).map(([name, variant]) =>
      element(
        'tr',
        {},
        element('td', { textContent: name }),
        ...COLUMNS.map(([, show]) => element('td', { textContent: show(variant) })),
      ),
    );
    const table = element('table', {}, element('thead', {}, heading), element('tbody', {}, ...rows));
    const broken = report.expectations.filter(({ holds }) => !holds);
    const list = broken.map(({ variant, condition, found }) =>
      element('p', {
        className: 'fails',
        textContent: `${variant}: ${condition} does not hold, found ${found === null ? 'never' : number(found)}`,
      }),
    );
    document.getElementById('summary').replaceChildren(table, ...list);
  }

  /** What one chart shows: a title, and lines by label. */
  function chartsOf({ timeline }) {
    const { traffic, dependencies, services } = timeline;
    const lines = (group, show) => Object.entries(group).flatMap(([name, line]) => show(name, line));
    return [
      {
        title: 'Requests per second',
        lines: lines(traffic, (name, { sent, good, bad }) => [
          [`${name} sent`, sent, BLUE],
          [`${name} good`, good, GREEN],
          [`${name} bad`, bad, RED],
        ]),
      },
      {
        title: 'Operations and attempts per second',
        lines: lines(dependencies, (name, { operations, attempts, refused }) => [
          [`${name} operations`, operations],
          [`${name} attempts`, attempts],
          [`${name} refused`, refused],
        ]),
      },
      {
        title: 'Time to answer, ms',
        lines: lines(traffic, (name, { p50Ms, p99Ms }) => [
          [`${name} p50`, p50Ms],
          [`${name} p99`, p99Ms],
        ]),
      },
      {
        title: 'In flight',
        lines: [
          ...lines(dependencies, (name, { inFlight }) => [[`${name} operations`, inFlight]]),
          ...lines(services, (name, { inWork, queued }) => [
            [`${name} in work`, inWork],
            [`${name} queued`, queued],
          ]),
        ],
      },
      {
        title: 'Breakers open, share of instances',
        stepped: true,
        most: 1,
        lines: lines(dependencies, (name, { breakerOpen }) => [[name, breakerOpen]]),
      },
      {
        title: 'Retry budget in use',
        most: 1,
        lines: lines(dependencies, (name, { budgetUse }) => [[name, budgetUse]]),
      },
    ];
  }

  /** Shades the time in which the scenario made trouble. */
  function shade({ troubleFromMs, troubleToMs }) {
    return (plot) => {
      if (troubleFromMs === undefined) return;
      const { left, top, width, height } = plot.bbox;
      const at = (ms) => Math.min(left + width, Math.max(left, plot.valToPos(ms / 1000, 'x', true)));
      plot.ctx.save();
      plot.ctx.fillStyle = 'rgba(200, 60, 60, 0.10)';
      plot.ctx.fillRect(at(troubleFromMs), top, at(troubleToMs) - at(troubleFromMs), height);
      plot.ctx.restore();
    };
  }

  /** A colour of the style sheet, as canvases understand it. */
  function colourOf(words) {
    const probe = element('span');
    probe.style.color = words;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }

  function draw(variant, { title, lines, stepped, most }) {
    const place = element('section', { className: 'chart' }, element('h2', { textContent: title }));
    document.getElementById('charts').append(place);
    const line = colourOf('var(--line)');
    const axis = {
      stroke: colourOf('var(--text)'),
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
    };
    const paths = stepped ? { paths: uPlot.paths.stepped({ align: -1 }) } : {};
    const series = lines.map(([label, , colour], i) => ({
      label,
      stroke: colour ?? COLOURS[i % COLOURS.length],
      width: 1.5,
      points: { show: false },
      ...paths,
    }));
    const options = {
      width: place.clientWidth,
      height: HEIGHT,
      scales: {
        x: { time: false },
        y: { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(most ?? 1, (high ?? 0) * 1.05)] },
      },
      axes: [
        { ...axis, size: 34, values: (_, all) => all.map((value) => `${number(value)} s`) },
        { ...axis, size: 56, values: (_, all) => all.map(number) },
      ],
      series: [{ label: 'at', value: (_, value) => (value === null ? '' : `${number(value)} s`) }, ...series],
      hooks: { drawClear: [shade(variant)] },
    };
    const data = [variant.timeline.atMs.map((ms) => ms / 1000), ...lines.map(([, values]) => values)];
    plots.push({ plot: new uPlot(options, data, place), place });
  }

  function show(name) {
    for (const { plot } of plots.splice(0)) plot.destroy();
    document.getElementById('charts').replaceChildren();
    for (const button of document.querySelectorAll('#variants button'))
      button.ariaPressed = String(button.textContent === name);
    const variant = report.variants[name];
    for (const chart of chartsOf(variant)) if (chart.lines.length > 0) draw(variant, chart);
  }

  summary();
  const names = Object.keys(report.variants);
  document
    .getElementById('variants')
    .append(
      ...names.map((textContent) =>
        element('button', { type: 'button', textContent, onclick: () => show(textContent) }),
      ),
    );
  show(names[0]);
  new ResizeObserver(() => {
    for (const { plot, place } of plots)
      if (plot.width !== place.clientWidth) plot.setSize({ width: place.clientWidth, height: HEIGHT });
  }).observe(document.getElementById('charts'));
})();
