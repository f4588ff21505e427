export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}

export function median(values) {
  return quantile(values, 0.5);
}

/** Median and quartiles of the ratios of rounds that stand side by side. */
export function ratioOf(ours, theirs) {
  const ratios = ours.map((value, round) => value / theirs[round]);
  const [q1, mid, q3] = [0.25, 0.5, 0.75].map((q) => quantile(ratios, q));
  return { q1, median: mid, q3 };
}

export function table(headings, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = headings.map((_, i) => (i === 0 ? '---' : '---:'));
  return [line(headings), line(rule), ...rows.map(line)].join('\n');
}

export function ratio({ q1, median: mid, q3 }) {
  return `${mid.toFixed(3)} (${q1.toFixed(3)} to ${q3.toFixed(3)})`;
}
