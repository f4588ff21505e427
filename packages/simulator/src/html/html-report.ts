import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { SimulationReport } from '../measure/report.js';

/**
 * The report as one page that holds everything it needs and opens from disk: a table of the variants, and charts of
 * rates, attempts, latencies, in-flight work and breaker states over time.
 */
export function htmlReport(report: SimulationReport): string {
  const plot = createRequire(import.meta.url).resolve('uplot/dist/uPlot.iife.min.js');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escaped(report.name)}: simulated</title>
<style>
${readFileSync(plot.replace(/uPlot\.iife\.min\.js$/, 'uPlot.min.css'), 'utf8')}
${asset('report.css')}
</style>
</head>
<body>
<header>
<h1>${escaped(report.name)}</h1>
<p>${escaped(report.about)}</p>
<p class="facts">seed ${report.seed}${report.focus === undefined ? '' : `, in focus ${escaped(report.focus)}`}${report.complete ? '' : ', stopped before its end'}</p>
</header>
<main>
<div id="summary"></div>
<nav id="variants" aria-label="Variants"></nav>
<div id="charts"></div>
</main>
<script type="application/json" id="report">${inScript(JSON.stringify(report))}</script>
<script>
${inlined(readFileSync(plot, 'utf8'))}
${inlined(asset('report.js'))}
</script>
</body>
</html>
`;
}

/** From the folder `page` of this package, which lies beside both `src` and `dist`. */
function asset(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../page/${name}`, import.meta.url)), 'utf8');
}

/** JSON that cannot end its script element. */
function inScript(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

function inlined(script: string): string {
  return script.replaceAll('</script', '<\\/script');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
