// Words that do not belong in the tree: machine paths, package registries, unfinished work, addresses in the lock.

/** Built from halves, so that this file does not find itself. */
const join = (...parts) => parts.join('');

const EVERYWHERE = [
  { pattern: new RegExp(join('/wo', 'rk/')), what: 'a path of one machine' },
  {
    pattern: new RegExp(join('registry\\.', 'npmjs|', 'npm', 'mirror|', 'yarnpkg\\.', 'com')),
    what: 'a package registry',
  },
];
const IN_CODE = [
  { pattern: new RegExp(join('\\b(?:TO', 'DO|FIX', 'ME|XX', 'X)\\b')), what: 'unfinished work' },
];
const IN_LOCK = [
  { pattern: new RegExp(join('https', '?:|tar', 'ball')), what: 'an address in the lock file' },
];
const CODE = /^(?:packages|examples|bench|scripts)\/.*\.(?:[mc]?[jt]s|md|json)$/;

export function checkWords(tree) {
  const findings = [];
  for (const [path, text] of tree.files) {
    const rules = rulesOf(path);
    if (!rules.some(({ pattern }) => pattern.test(text))) continue;
    for (const [index, line] of text.split('\n').entries()) {
      const rule = rules.find(({ pattern }) => pattern.test(line));
      if (rule === undefined) continue;
      const word = rule.pattern.exec(line)[0];
      findings.push({ file: path, line: index + 1, rule: 'words', message: `'${word}': ${rule.what}` });
    }
  }
  return findings;
}

function rulesOf(path) {
  if (path.endsWith('pnpm-lock.yaml')) return [...EVERYWHERE, ...IN_LOCK];
  return CODE.test(path) ? [...EVERYWHERE, ...IN_CODE] : EVERYWHERE;
}
