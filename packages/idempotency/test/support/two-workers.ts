/** A step of a worker that claims a key, works and ends; `lapse` is the lease running out. */
export type Action = 'begin' | 'checkpoint' | 'renew' | 'effect' | 'complete' | 'release';
export type Event = { readonly who: 0 | 1; readonly action: Action } | 'lapse';

/** Every merge of two sequences that keeps the order within each. */
export function* interleavings<T>(a: readonly T[], b: readonly T[]): Generator<readonly T[]> {
  if (a.length === 0 || b.length === 0) {
    yield [...a, ...b];
    return;
  }
  for (const rest of interleavings(a.slice(1), b)) yield [a[0] as T, ...rest];
  for (const rest of interleavings(a, b.slice(1))) yield [b[0] as T, ...rest];
}

/** Every way to force up to `most` lapses between any two events. */
export function* withLapses(events: readonly Event[], most: number): Generator<readonly Event[]> {
  yield events;
  if (most === 0) return;
  for (let at = 1; at <= events.length; at++) {
    const head = events.slice(0, at);
    for (const tail of withLapses(events.slice(at), most - 1)) yield [...head, 'lapse', ...tail];
  }
}

export function programOf(who: 0 | 1, actions: readonly Action[]): Event[] {
  return actions.map((action) => ({ who, action }));
}
