// What each file imports, and which file of ours that is.
import { posix } from 'node:path';
import ts from 'typescript';
import { visit } from './tree.mjs';

/** Every import of a file: `{ specifier, node, typeOnly }`; `require()` and `import()` included. */
export function importsOf(file) {
  const found = [];
  visit(file.ast, (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.push({ specifier, node, typeOnly: isTypeOnly(node) });
  });
  return found;
}

function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
    return textOf(node.moduleReference.expression);
  }
  if (!ts.isCallExpression(node)) return undefined;
  const callee = node.expression;
  const loads =
    callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
  return loads ? textOf(node.arguments[0]) : undefined;
}

function textOf(node) {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function isTypeOnly(node) {
  if (ts.isImportTypeNode(node)) return true;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  if (!ts.isImportDeclaration(node)) return false;
  return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

/** The path of our file behind a specifier; undefined for other people's packages. */
export function resolveOurs(tree, from, specifier) {
  if (specifier.startsWith('.')) {
    return sourceOf(tree, posix.join(posix.dirname(from), specifier));
  }
  const match = /^@spillway\/([a-z-]+)(?:\/(.+))?$/.exec(specifier);
  if (match === null) return undefined;
  const [, name, subpath] = match;
  if (subpath === undefined) return sourceOf(tree, `packages/${name}/src/index.js`);
  return sourceOf(tree, exportedFile(tree, name, subpath));
}

/** Where the exports map of a package points a subpath, as a path below `src`. */
function exportedFile(tree, name, subpath) {
  const manifest = tree.files.get(`packages/${name}/package.json`);
  const target = manifest === undefined ? undefined : JSON.parse(manifest).exports?.[`./${subpath}`];
  const built = typeof target === 'string' ? target : (target?.default ?? `./dist/${subpath}.js`);
  return posix.join('packages', name, built.replace(/^\.\/dist\//, 'src/'));
}

function sourceOf(tree, path) {
  for (const candidate of [path, path.replace(/\.([mc]?)js$/, '.$1ts')]) {
    if (tree.files.has(candidate)) return candidate;
  }
  return undefined;
}
