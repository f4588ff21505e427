import type { Socket } from 'node:net';
import { Timer } from '../time/clock.js';
import type { InboundRuntime } from './inbound-runtime.js';
import { onSocketClose } from './socket-close.js';

/**
 * A handler that runs on after its request was answered 504. Its place at the gate stays taken until the work ends:
 * its promise settles, it writes late, its connection closes, or `detachAfter` has gone by.
 */
export class DetachedWork extends Timer {
  readonly #rt: InboundRuntime;
  readonly #stopListening: () => void;
  #onEnd: (() => void) | undefined;

  constructor(rt: InboundRuntime, socket: Socket, onEnd: () => void) {
    super(false);
    this.#rt = rt;
    this.#onEnd = onEnd;
    rt.detached++;
    this.#stopListening = onSocketClose(socket, () => this.end());
    rt.clock.arm(this, rt.options.detachAfterMs);
    if (rt.emit.enabled) rt.emit.emit({ type: 'inbound.detached', at: rt.clock.now() });
  }

  override onTimer(): void {
    this.end();
  }

  /** The work has ended, or is given up on; the first of all signs counts. */
  end(): void {
    const onEnd = this.#onEnd;
    if (onEnd === undefined) return;
    this.#onEnd = undefined;
    this.#rt.detached--;
    this.#rt.clock.disarm(this);
    this.#stopListening();
    onEnd();
  }
}
