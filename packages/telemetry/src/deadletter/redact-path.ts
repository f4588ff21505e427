/** A word as resources are called: letters, perhaps in parts, and a version. Everything else may be somebody's id. */
const WORD = /^(?:[a-z]{1,24}(?:[-_][a-z]{1,24}){0,3}|v\d{1,3})$/;
const ID = ':id';

/**
 * A path without what may name somebody: segments that are no plain word, and each that follows a plural, since
 * `users/alice` is a collection and one of its members. `/v1/users/alice/orders/17` becomes `/v1/users/:id/orders/:id`.
 * Query and fragment are left out.
 */
export function redactPath(path: string): string {
  const [plain = ''] = path.split(/[?#]/, 1);
  let collection = false;
  const shown = plain.split('/').map((segment) => {
    if (segment === '') return segment;
    const isShown = !collection && WORD.test(segment);
    collection = isShown && segment.endsWith('s');
    return isShown ? segment : ID;
  });
  return shown.join('/');
}
