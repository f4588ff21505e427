import { checkCases } from './cases.mjs';
import { checkGraph } from './graph.mjs';
import { checkPackageMap } from './package-map.mjs';
import { checkPorts } from './ports.mjs';
import { checkStyle } from './style.mjs';
import { readTree } from './tree.mjs';
import { checkWords } from './words.mjs';

/**
 * All findings of the tree below `root`, by file and line. `cases` also asks for a test per case of the case book.
 */
export function checkHouse(root, { cases = false } = {}) {
  const tree = readTree(root);
  const findings = [
    ...checkPackageMap(tree),
    ...checkGraph(tree),
    ...checkPorts(tree),
    ...checkStyle(tree),
    ...checkWords(tree),
    ...(cases ? checkCases(tree) : []),
  ];
  return findings.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}
