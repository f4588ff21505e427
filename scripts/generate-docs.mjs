// Writes what is generated: a page per rule of the checker, the tables of the preset pages, the page of metrics, the
// JSON schema of configuration files. Needs a build.
//   node scripts/generate-docs.mjs [--check]     with --check: writes nothing, exit code 1 when something is stale
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configSchema } from '../packages/cli/dist/generate/config-schema.js';
import { ruleIndex, rulePage } from '../packages/cli/dist/output/rule-page.js';
import { simulationText } from '../packages/cli/dist/output/simulation-text.js';
import { RULES } from '../packages/core/dist/check/entry.js';
import { PRESETS, simulate } from '../packages/simulator/dist/index.js';
import { metricsPage } from './docs/metrics-page.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isCheck = process.argv.includes('--check');
const stale = [];

const BEGIN = '<!-- what the command prints; generated -->';
const END = '<!-- end -->';

function put(path, text) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  stale.push(path);
  if (isCheck) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function dropUnknownRulePages() {
  const known = new Set(['README.md', ...RULES.map(({ id }) => `${id}.md`)]);
  for (const name of readdirSync(join(root, 'docs/checker'))) {
    if (known.has(name)) continue;
    stale.push(`docs/checker/${name}`);
    if (!isCheck) rmSync(join(root, 'docs/checker', name));
  }
}

async function presetPage(name, scenario) {
  const path = `docs/presets/${name}.md`;
  const text = readFileSync(join(root, path), 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${path} has no place for its table: ${BEGIN} and ${END}`);
  const printed = simulationText(await simulate(scenario));
  put(path, `${before}${BEGIN}\n\`\`\`\n${printed}\`\`\`\n${END}${after}`);
}

for (const rule of RULES) put(`docs/checker/${rule.id}.md`, rulePage(rule));
put('docs/checker/README.md', ruleIndex(RULES));
dropUnknownRulePages();
put('docs/reference/metrics.md', metricsPage());
put('packages/cli/schema.json', `${JSON.stringify(configSchema(), undefined, 2)}\n`);
for (const [name, scenario] of Object.entries(PRESETS)) await presetPage(name, scenario);

for (const path of stale) console.log(`${isCheck ? 'stale' : 'written'}: ${path}`);
if (isCheck && stale.length > 0) process.exitCode = 1;
