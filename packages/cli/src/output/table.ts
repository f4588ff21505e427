/** Rows under a heading, columns as wide as their widest cell. Numbers, and what begins with one, stand to the right. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => (row[i] ?? '').length)),
  );
  const isRight = heading.map(
    (_, i) => rows.every((row) => /^(?:[\d-]|never$|$)/.test(row[i] ?? '')) && i > 0,
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (isRight[i] === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Words in lines no longer than `width`, each after `indent`. */
export function wrapped(words: string, indent: string, width: number = 110): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of words.split(/\s+/)) {
    if (line.trim() !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}

/** 4,700 */
export function group(value: number): string {
  const [whole = '', fraction] = String(Math.round(value * 1000) / 1000).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `1.5 s`, `700 ms` */
export function time(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return ms === null ? 'never' : '-';
  if (!Number.isFinite(ms)) return 'unbounded';
  return ms < 1000 ? `${group(Math.round(ms * 10) / 10)} ms` : `${group(Math.round(ms / 10) / 100)} s`;
}
