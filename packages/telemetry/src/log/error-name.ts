/** How errors call their class, and what the system and Node call failures. */
const CLASS = /^(?:[A-Z]\w{0,40})?Error(?=:|$)/;
const CODE =
  /\b(?:ERR_[A-Z_]{2,40}|E(?:CONN[A-Z]+|TIMEDOUT|PIPE|NOTFOUND|AI_AGAIN|[A-Z]+UNREACH|NOSPC|ACCES|PERM|ROFS|MFILE|NOENT|IO))\b/;

/**
 * Of the text of an error its class and code alone: `Error ECONNREFUSED`. The rest is free text of whoever threw it, and
 * may quote a key or a URL.
 */
export function errorName(text: string): string {
  const [name = 'unknown'] = CLASS.exec(text) ?? [];
  const [code] = CODE.exec(text) ?? [];
  return code === undefined ? name : `${name} ${code}`;
}
