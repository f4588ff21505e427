/**
 * The line on which an option stands, found by its keys one after another; the line of the innermost key that is
 * there, 1 when none is.
 * @param path as in `dependencies.quotes.attempt.timeout`
 */
export function lineOfPath(text: string, path: string): number {
  let at = 0;
  for (const key of path.match(/[\w-]+|\["[^"]+"\]/g) ?? []) {
    const name = key.replace(/^\["|"\]$/g, '').replace(/[^\w]/g, '\\$&');
    const found = new RegExp(`(?:^|[\\s{,])(?:${name}|'${name}'|"${name}")\\s*:`).exec(text.slice(at));
    if (found === null) break;
    at += found.index + 1;
  }
  return text.slice(0, at).split('\n').length;
}
