import type { ServerResponse } from 'node:http';
import { DetachedWork } from './detached-work.js';
import { reportLate } from './inbound-reports.js';
import type { InboundRuntime } from './inbound-runtime.js';
import { denyHeadersSent, guardAfterEnd, guardLate, type LateListener } from './late-guard.js';

/** What is left to look after once a request is, or may be, answered by somebody else than its handler. */
export class Aftermath implements LateListener {
  readonly #rt: InboundRuntime;
  readonly #res: ServerResponse;
  #late = false;
  #detached: DetachedWork | undefined = undefined;

  constructor(rt: InboundRuntime, res: ServerResponse) {
    this.#rt = rt;
    this.#res = res;
  }

  /** The answer has been given: whatever the handler still does with the response does no harm. */
  guard(): void {
    guardLate(this.#res, this);
  }

  /** Two may answer: the first one's answer stands, and the other's does no harm. */
  guardOnceEnded(): void {
    guardAfterEnd(this.#res, this);
  }

  /** The handler runs on; `onEnd` is called when it does not any more, as far as can be told. */
  detach(onEnd: () => void): void {
    this.#detached = new DetachedWork(this.#rt, this.#res.req.socket, onEnd);
  }

  /** The answer has left the process, or its connection is gone. */
  closed(): void {
    denyHeadersSent(this.#res);
  }

  /** The handler's promise has settled. */
  handled(): void {
    this.#detached?.end();
  }

  onLate(): void {
    this.#note('answer');
  }

  failedLate(): void {
    this.#note('error');
  }

  #note(how: 'answer' | 'error'): void {
    this.#detached?.end();
    if (this.#late) return;
    this.#late = true;
    reportLate(this.#rt, how);
  }
}
