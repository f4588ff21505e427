// The files of the tree, read and parsed once.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

const NOT_OURS = new Set([
  'node_modules',
  'dist',
  'coverage',
  'reports',
  '.git',
  '.stryker-tmp',
  '.plant',
  '.nightly',
]);
const CODE = /\.(?:ts|mts|cts|js|mjs|cjs)$/;
const BINARY = /\.(?:png|jpg|jpeg|gif|ico|woff2?|tgz|gz|zip|pdf)$/;

/** Parsed files by their text, so that a tree checked again after one change costs one parse. */
const parsed = new Map();

/** Everything below `root` that is ours, as paths with forward slashes. */
export function readTree(root) {
  const files = new Map();
  walk(root, root, files);
  return { root, files };
}

function walk(root, directory, files) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (NOT_OURS.has(entry.name)) continue;
    if (entry.isDirectory()) walk(root, path, files);
    else if (entry.isFile() && !BINARY.test(entry.name)) {
      files.set(relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8'));
    }
  }
}

/** The code files whose path matches, each as `{ path, text, ast }`. */
export function codeOf(tree, pattern) {
  const found = [];
  for (const [path, text] of tree.files) {
    if (CODE.test(path) && pattern.test(path)) found.push({ path, text, ast: astOf(path, text) });
  }
  return found;
}

function astOf(path, text) {
  const key = `${path}\0${text}`;
  let ast = parsed.get(key);
  if (ast === undefined) {
    ast = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
    parsed.set(key, ast);
  }
  return ast;
}

/** Visits every node below `node`. */
export function visit(node, see) {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

export function lineOf(ast, position) {
  return ast.getLineAndCharacterOfPosition(position).line + 1;
}

/** A finding at a node. */
export function at(file, node, rule, message) {
  return { file: file.path, line: lineOf(file.ast, node.getStart(file.ast)), rule, message };
}
