import type { EventOf, EventType, SpillwayEvent } from '../../../src/index.js';
import type { Played } from '../play.js';

/** A rule of the centre: what a played script did against it, one line each; none when it holds. */
export type Rule = (played: Played) => readonly string[];

/** An event and its place in the whole. */
export interface Placed<E extends SpillwayEvent = SpillwayEvent> {
  readonly event: E;
  readonly index: number;
}

/** The events of each operation. */
export function strands(played: Played): ReadonlyMap<number, readonly Placed[]> {
  const byId = new Map<number, Placed[]>();
  played.events.forEach((event, index) => {
    if (!('id' in event)) return;
    const strand = byId.get(event.id);
    if (strand === undefined) byId.set(event.id, [{ event, index }]);
    else strand.push({ event, index });
  });
  return byId;
}

/** Those of a strand of one type. */
export function ofType<K extends EventType>(strand: readonly Placed[], type: K): Placed<EventOf<K>>[] {
  return strand.filter((placed): placed is Placed<EventOf<K>> => placed.event.type === type);
}
