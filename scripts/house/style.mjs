// Habits of the sources (no `any`, no default export, no silenced compiler, short files) and of the tests.
import ts from 'typescript';
import { at, codeOf, lineOf, visit } from './tree.mjs';

const LONGEST_FILE = 300;
const SILENCERS = /@ts-(?:ignore|nocheck|expect-error)/;
const RUNNERS = new Set(['describe', 'it', 'test', 'suite']);
const OUTCASTS = new Set(['xdescribe', 'xit', 'xtest', 'fdescribe', 'fit']);
const MARKS = new Set(['only', 'skip', 'todo', 'skipIf', 'runIf']);

export function checkStyle(tree) {
  const sources = codeOf(tree, /^packages\/[a-z-]+\/src\//);
  const tests = codeOf(tree, /(?:^|\/)test\/|\.test\.[mc]?[jt]s$/);
  return [
    ...sources.flatMap((file) => [...checkSource(file), ...checkSilencers(file)]),
    ...tests.flatMap(checkTests),
    ...codeOf(tree, /^(?:packages|examples|bench|scripts)\//).flatMap(checkLength),
  ];
}

function checkSource(file) {
  const findings = [];
  visit(file.ast, (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) findings.push(at(file, node, 'any', '`any` in src'));
    if (isDefaultExport(node)) findings.push(at(file, node, 'default-export', 'default export in src'));
  });
  return findings;
}

function isDefaultExport(node) {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return ts.canHaveModifiers(node) && hasDefault(ts.getModifiers(node));
}

function hasDefault(modifiers) {
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true;
}

function checkSilencers(file) {
  return commentsOf(file)
    .filter(({ text }) => SILENCERS.test(text))
    .map(({ pos, text }) => ({
      file: file.path,
      line: lineOf(file.ast, pos),
      rule: 'silencer',
      message: `${SILENCERS.exec(text)[0]} in src`,
    }));
}

/** Every comment, by the compiler's own scanner: a string that looks like one is none. */
function commentsOf({ text, ast }) {
  const comments = new Map();
  const collect = (ranges) => {
    for (const { pos, end } of ranges ?? []) comments.set(pos, { pos, text: text.slice(pos, end) });
  };
  visit(ast, (node) => {
    collect(ts.getLeadingCommentRanges(text, node.getFullStart()));
    collect(ts.getTrailingCommentRanges(text, node.getEnd()));
  });
  collect(ts.getLeadingCommentRanges(text, ast.endOfFileToken.getFullStart()));
  return [...comments.values()];
}

function checkTests(file) {
  const findings = [];
  visit(file.ast, (node) => {
    if (!ts.isCallExpression(node) && !ts.isTaggedTemplateExpression(node)) return;
    const chain = chainOf(ts.isCallExpression(node) ? node.expression : node.tag);
    const [runner, ...marks] = chain;
    const mark = OUTCASTS.has(runner)
      ? runner
      : RUNNERS.has(runner)
        ? (marks.find((name) => MARKS.has(name)) ?? marked(node))
        : undefined;
    if (mark === undefined) return;
    findings.push(at(file, node, 'skipped', `${chain.join('.')} skips or excludes tests (${mark})`));
  });
  return findings;
}

/** `it.concurrent.only` gives ['it', 'concurrent', 'only']. */
function chainOf(node) {
  if (ts.isIdentifier(node)) return [node.text];
  return ts.isPropertyAccessExpression(node) ? [...chainOf(node.expression), node.name.text] : [];
}

/** node:test's options: `test('…', { skip: true }, …)`. */
function marked(node) {
  if (!ts.isCallExpression(node)) return undefined;
  const options = node.arguments.find((argument) => ts.isObjectLiteralExpression(argument));
  return options?.properties.map((property) => property.name?.getText()).find((name) => MARKS.has(name));
}

function checkLength(file) {
  const lines = file.text.split('\n').length - 1;
  if (lines <= LONGEST_FILE) return [];
  const message = `${lines} lines; a file has one subject and at most ${LONGEST_FILE}`;
  return [{ file: file.path, line: LONGEST_FILE + 1, rule: 'length', message, warning: true }];
}
