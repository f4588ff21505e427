// The case book: every case that concerns a package that exists is one test by its number, or an ADR says why not.
import ts from 'typescript';
import { at, codeOf, visit } from './tree.mjs';

const LIST = 'scripts/house/cases.json';
const TITLE = /^([CF]-\d{2,3})\b/;

export function checkCases(tree) {
  const list = JSON.parse(tree.files.get(LIST)).cases;
  const titles = titlesOf(tree);
  const excused = excusedIn(tree);
  return [...checkList(tree, list, titles, excused), ...checkTitles(list, titles)];
}

/** Test titles that start with a number, by number. */
function titlesOf(tree) {
  const titles = new Map();
  for (const file of codeOf(tree, /^packages\/[a-z-]+\/test\/cases\/.*\.test\.ts$/)) {
    visit(file.ast, (node) => {
      const id = idOf(node);
      if (id === undefined) return;
      titles.set(id, [...(titles.get(id) ?? []), { file, node }]);
    });
  }
  return titles;
}

function idOf(node) {
  if (!ts.isCallExpression(node) || !isTest(node.expression)) return undefined;
  const title = node.arguments[0];
  return title !== undefined && ts.isStringLiteralLike(title) ? TITLE.exec(title.text)?.[1] : undefined;
}

/** `test(…)`, `it(…)`, and their `.each(…)(…)`. */
function isTest(callee) {
  if (ts.isIdentifier(callee)) return callee.text === 'test' || callee.text === 'it';
  if (ts.isPropertyAccessExpression(callee)) return callee.name.text !== 'each' && isTest(callee.expression);
  if (!ts.isCallExpression(callee)) return false;
  const each = callee.expression;
  return ts.isPropertyAccessExpression(each) && each.name.text === 'each' && isTest(each.expression);
}

function excusedIn(tree) {
  const ids = new Set();
  for (const [path, text] of tree.files) {
    if (!/^docs\/adr\/.*\.md$/.test(path)) continue;
    for (const [id] of text.matchAll(/\b(?:C-\d{3}|F-\d{2})\b/g)) ids.add(id);
  }
  return ids;
}

function checkList(tree, list, titles, excused) {
  const lines = tree.files.get(LIST).split('\n');
  return Object.entries(list).flatMap(([id, { packages }]) => {
    if (packages === undefined || titles.has(id) || excused.has(id)) return [];
    const line = lines.findIndex((text) => text.includes(`"${id}"`)) + 1;
    const message = `${id} (${packages.join(', ')}) has no test under packages/*/test/cases and no reason under docs/adr`;
    return [{ file: LIST, line, rule: 'cases', message }];
  });
}

function checkTitles(list, titles) {
  const findings = [];
  for (const [id, places] of titles) {
    if (list[id] === undefined) {
      const [{ file, node }] = places;
      findings.push(at(file, node, 'cases', `${id} is not in the case book`));
    }
    for (const { file, node } of places.slice(1)) {
      findings.push(at(file, node, 'cases', `${id} has more than one test`));
    }
  }
  return findings;
}
