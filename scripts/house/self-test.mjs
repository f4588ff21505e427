// Proves that check-house catches what it says: plants one violation at a time in a copy of the tree.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkHouse } from './check.mjs';
import { PLANTS } from './plants.mjs';
import { readTree } from './tree.mjs';

/** @returns how many plants were caught, and the names of those that were not */
export function selfTest(root) {
  const copy = mkdtempSync(join(tmpdir(), 'check-house-'));
  try {
    copyTree(root, copy);
    const before = new Set(checkHouse(copy, { cases: true }).map(keyOf));
    const missed = PLANTS.filter((plant) => !catches(copy, plant, before)).map(({ name }) => name);
    return { caught: PLANTS.length - missed.length, missed };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function copyTree(root, copy) {
  for (const path of readTree(root).files.keys()) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
}

/** Plants, checks, and takes out again. A plant with `clean` must give nothing new. */
function catches(copy, plant, before) {
  const undo = Object.entries(plant.files).map(([path, text]) => write(join(copy, path), text));
  const news = checkHouse(copy, { cases: true }).filter((finding) => !before.has(keyOf(finding)));
  for (const restore of undo) restore();
  if (plant.clean) return news.length === 0;
  const { file, line, rule } = plant.expect;
  return news.some((finding) => finding.file === file && finding.line === line && finding.rule === rule);
}

function write(path, text) {
  const old = readOr(path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof text === 'function' ? text(old ?? '') : text);
  return () => (old === undefined ? rmSync(path) : writeFileSync(path, old));
}

function readOr(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Without the line: what stands below a planted line moves. */
function keyOf({ file, rule, message }) {
  return `${file}:${rule}:${message}`;
}
