import { REASONS } from './reasons.js';

/** The page that the reasons on the dashboard link to. */
export function reasonsPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Why Spillway refused</title>
<link rel="stylesheet" href="page.css">
</head>
<body class="reasons">
<header><h1>Why Spillway refused</h1><p><a href="./">Back to the dashboard</a></p></header>
<main>
${REASONS.map(sectionOf).join('\n')}
</main>
</body>
</html>
`;
}

function sectionOf({ id, title, meaning, remedy }: (typeof REASONS)[number]): string {
  return `<section id="${escaped(id)}" tabindex="-1">
<h2>${escaped(title)}</h2>
<p>${escaped(meaning)}</p>
${remedy === undefined ? '' : `<p>${escaped(remedy)}</p>`}
</section>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
