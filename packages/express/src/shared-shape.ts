/**
 * V8 up to 12 (Node 20 and 22) takes an object whose prototype was set for a prototype itself, and such an object has
 * hidden classes to itself: whatever is added to it afterwards copies the list of all it has, that copy outlives it,
 * and no inline cache ever knows it. Express sets the prototype of every request and response. V8 13 does no such thing.
 */
const IS_AFFECTED = Number.parseInt(process.versions.v8, 10) <= 12;

/**
 * Gives a request and its response a hidden class that they share with all others, by taking a property of theirs off
 * and putting it back: V8 then keeps the properties of each in a dictionary. Everything that Node, Express, middleware
 * and handlers do with them from here on is faster by it, by far more than the guard costs (`bench/inbound.mjs`).
 * Properties that Express puts there are taken: what is none of Express's stays as it is.
 */
export const shareShape: (req: object, res: object) => void = IS_AFFECTED ? toDictionaries : nothing;

function toDictionaries(req: object, res: object): void {
  putBack(req, 'params');
  putBack(res, 'locals');
}

/** Only what was assigned: not a property with a getter, nor one that somebody has protected. */
function putBack(object: object, name: string): void {
  const property = Object.getOwnPropertyDescriptor(object, name);
  if (property === undefined || !('value' in property)) return;
  const { configurable, enumerable, writable } = property;
  if (configurable && enumerable && writable && Reflect.deleteProperty(object, name)) {
    Reflect.set(object, name, property.value);
  }
}

function nothing(): void {
  // shared already
}
