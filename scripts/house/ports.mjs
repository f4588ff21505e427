// Time, timers and chance come through the Clock and Random ports: the sources touch nothing else.
import ts from 'typescript';
import { importsOf } from './imports.mjs';
import { at, codeOf, visit } from './tree.mjs';

/** The files that may, and why. */
const EXCEPTIONS = [
  { path: /^packages\/core\/src\/time\/system-clock\.ts$/, reason: 'the one file that touches real time' },
];

const GLOBALS = new Set([
  'Date',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
]);
const MEMBERS = {
  AbortSignal: ['timeout', 'any'],
  Math: ['random'],
  process: ['hrtime', 'nextTick', 'uptime'],
};
const MODULES = /^(?:node:)?(?:timers(?:\/promises)?|perf_hooks)$/;
const ROOTS = new Set(['globalThis', 'global', 'window', 'self']);

export function checkPorts(tree) {
  return codeOf(tree, /^packages\/[a-z-]+\/src\//)
    .filter(({ path }) => !EXCEPTIONS.some((exception) => exception.path.test(path)))
    .flatMap(checkFile);
}

function checkFile(file) {
  const findings = importsOf(file)
    .filter(({ specifier, typeOnly }) => MODULES.test(specifier) && !typeOnly)
    .map(({ specifier, node }) => at(file, node, 'ports', `${specifier}: take the Clock port`));
  const declared = declaredNames(file.ast);
  visit(file.ast, (node) => {
    const name = forbidden(node, declared);
    if (name !== undefined) findings.push(at(file, node, 'ports', `${name}: take the Clock or Random port`));
  });
  return findings;
}

function forbidden(node, declared) {
  if (ts.isIdentifier(node) && GLOBALS.has(node.text) && !declared.has(node.text) && isRead(node)) {
    return node.text;
  }
  if (ts.isBindingElement(node)) return destructured(node);
  const member = memberOf(node);
  if (member === undefined) return undefined;
  const { owner, name } = member;
  if (MEMBERS[owner]?.includes(name) && !declared.has(owner)) return `${owner}.${name}`;
  return ROOTS.has(owner) && GLOBALS.has(name) ? `${owner}.${name}` : undefined;
}

/** `Math.random`, `Math['random']`, `globalThis.Math.random`: owner and name. */
function memberOf(node) {
  const name = ts.isPropertyAccessExpression(node)
    ? node.name.text
    : ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)
      ? node.argumentExpression.text
      : undefined;
  if (name === undefined) return undefined;
  const owner = node.expression;
  if (ts.isIdentifier(owner)) return { owner: owner.text, name };
  const inner = memberOf(owner);
  return inner !== undefined && ROOTS.has(inner.owner) ? { owner: inner.name, name } : undefined;
}

/** `const { random } = Math`. */
function destructured(node) {
  const declaration = node.parent.parent;
  if (!ts.isVariableDeclaration(declaration) || declaration.initializer === undefined) return undefined;
  const owner = declaration.initializer;
  if (!ts.isIdentifier(owner)) return undefined;
  const name = (node.propertyName ?? node.name).getText();
  const taken = MEMBERS[owner.text]?.includes(name) === true || (ROOTS.has(owner.text) && GLOBALS.has(name));
  return taken ? `${owner.text}.${name}` : undefined;
}

/** Read as a value: no member name, no key, no declaration, no type. */
function isRead(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if (ts.isQualifiedName(parent) || ts.isTypeReferenceNode(parent)) return false;
  if (ts.isBindingElement(parent) && parent.propertyName === node) return false;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false;
  const named =
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isEnumMember(parent);
  return !(named && parent.name === node);
}

function declaredNames(ast) {
  const names = new Set();
  visit(ast, (node) => {
    const declares =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isImportSpecifier(node) ||
      ts.isImportClause(node) ||
      ts.isBindingElement(node);
    if (declares && node.name !== undefined && ts.isIdentifier(node.name)) names.add(node.name.text);
  });
  return names;
}
