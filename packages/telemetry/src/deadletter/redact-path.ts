/** A word as resources are called: letters, perhaps in parts, and a version. Everything else may be somebody's id. */
const WORD = /^(?:[a-z]{1,24}(?:[-_][a-z]{1,24}){0,3}|v\d{1,3})$/;
/** Words that a member's name follows though they are no plural. */
const OF_ONE =
  /^(?:account|by|card|cart|client|code|company|customer|device|domain|email|family|file|for|group|id|key|member|name|order|org|organi[sz]ation|owner|partner|payment|people|person|profile|project|room|secret|session|shop|store|team|tenant|token|user|username|workspace)$/;
const ID = ':id';

/**
 * A path without what may name somebody: segments that are no plain word, and each that follows a plural or a word as
 * `user`, since `users/alice` is a collection and one of its members. `/v1/users/alice/orders/17` becomes
 * `/v1/users/:id/orders/:id`.
 * Query and fragment are left out.
 */
export function redactPath(path: string): string {
  const [plain = ''] = path.split(/[?#]/, 1);
  let collection = false;
  const shown = plain.split('/').map((segment) => {
    if (segment === '') return segment;
    const isShown = !collection && WORD.test(segment);
    collection = isShown && isCollection(segment);
    return isShown ? segment : ID;
  });
  return shown.join('/');
}

/** By its last part: `find-by` asks for a name as `by` does. */
function isCollection(word: string): boolean {
  const last = word.split(/[-_]/).at(-1) ?? word;
  return last.endsWith('s') || OF_ONE.test(last);
}
