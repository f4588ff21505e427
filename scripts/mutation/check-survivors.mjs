// Compares the mutants that survived the last run (reports/mutation.json) with those that may, each with its reason
// (survivors.json). Ends with 1 when one has no reason, or a reason no mutant.
//   node scripts/mutation/check-survivors.mjs [--list]     prints those without a reason as rows for survivors.json
import { readFileSync } from 'node:fs';

const LONGEST = 80;
const report = JSON.parse(readFileSync('reports/mutation.json', 'utf8'));
const known = JSON.parse(readFileSync(new URL('survivors.json', import.meta.url), 'utf8'));

/** The first line of a piece of code, short enough for a row. */
function short(code) {
  const line = code.split('\n')[0].trim().replace(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

function originalOf(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  if (start.line === end.line) return lines[0].slice(start.column - 1, end.column - 1);
  return lines[0].slice(start.column - 1);
}

function* survivors() {
  for (const [path, { source, mutants }] of Object.entries(report.files)) {
    for (const { status, location, replacement } of mutants) {
      if (status !== 'Survived' && status !== 'NoCoverage') continue;
      yield {
        file: path.replace('packages/core/src/', ''),
        original: short(originalOf(source, location)),
        replacement: short(replacement ?? ''),
      };
    }
  }
}

const keyOf = ({ file, original, replacement }) => `${file}: ${original} -> ${replacement}`;
const left = new Map();
for (const row of known) left.set(keyOf(row), (left.get(keyOf(row)) ?? 0) + (row.count ?? 1));

const unexplained = [];
for (const mutant of survivors()) {
  const count = left.get(keyOf(mutant)) ?? 0;
  if (count === 0) unexplained.push(mutant);
  else left.set(keyOf(mutant), count - 1);
}
const gone = [...left].filter(([, count]) => count > 0).map(([key]) => key);

if (process.argv.includes('--list')) console.log(JSON.stringify(unexplained, undefined, 2));
else for (const mutant of unexplained) console.log(`without a reason: ${keyOf(mutant)}`);
for (const key of gone) console.log(`killed by now, its reason can go: ${key}`);
console.log(
  `${known.length} reasons, ${unexplained.length} survivors without one, ${gone.length} reasons too many`,
);
if (unexplained.length + gone.length > 0) process.exitCode = 1;
