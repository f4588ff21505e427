import type { PermitEnd } from '../algorithms/permit.js';
import type { QueueNode } from '../algorithms/queue.js';
import type { EventOf } from '../telemetry/events.js';
import { Timer } from '../time/clock.js';

/** Why the gate refused. */
export type RefusalReason = EventOf<'inbound.refused'>['reason'];

/** Where a request stands with the gate. It is let in at most once and leaves exactly once. */
export type GuestPlace = 'outside' | 'waiting' | 'inside' | 'left';

/**
 * A request at the gate. It carries its own place in the queue and is its own timer, so that passing the gate
 * allocates nothing.
 */
export abstract class Guest extends Timer implements QueueNode<Guest> {
  prevWaiter: Guest | undefined = undefined;
  nextWaiter: Guest | undefined = undefined;
  queue: unknown = undefined;
  place: GuestPlace = 'outside';
  /** Rank of its criticality; the lowest go first. */
  rank = 2;
  /** When it came into its present place. */
  since = 0;
  /** The gate would have refused it and only observes: nothing is learned from it. */
  pardoned = false;

  constructor() {
    // a server's sockets keep the process alive, not the time it gives its requests
    super(false);
  }

  /** The first on its connection, as far as is known. */
  get isFirst(): boolean {
    return false;
  }

  /** When its answer is of no more use; it waits no longer. Infinity: never. */
  abstract get patience(): number;
  /** Its headers are out, and its body is still to come. */
  abstract get isStreaming(): boolean;
  /** Something has to be said in the headers of its answer. */
  abstract watchHeaders(): void;
  /** It was waiting and has been let in. */
  abstract onAdmitted(): void;
  /** It is not let in, now or after waiting. */
  abstract onRefused(reason: RefusalReason, retryAfterMs: number): void;
  /** It was let in although it would have been refused: the gate only observes. */
  abstract onPardoned(reason: RefusalReason, retryAfterMs: number): void;
}

/** What an answer teaches a limit: a failure that came fast says nothing about how fast we are (F-26). */
export function lessonOf(status: number): PermitEnd {
  return status < 400 ? 'success' : 'ignored';
}
