import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Aggregator } from '../state/aggregator.js';
import { refuse, SECURITY } from '../web/answer.js';
import { Viewer } from './viewer.js';

/** How soon a browser comes again after its connection broke, ms. */
const RETRY_MS = 1000;

/** Server-sent events to all viewers: the same bytes for everyone, made once a tick, and not at all for nobody. */
export class Feed {
  readonly #aggregator: Aggregator;
  readonly #most: number;
  readonly #viewers: Set<Viewer> = new Set();
  #closed = false;

  constructor(aggregator: Aggregator, most: number) {
    this.#aggregator = aggregator;
    this.#most = most;
    aggregator.start((tick) => this.#tell(tick));
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  join(req: IncomingMessage, res: ServerResponse): void {
    if (this.#closed || this.#viewers.size >= this.#most) {
      const why = this.#closed ? 'The dashboard was closed' : `${this.#most} pages are open already`;
      refuse(res, 503, why, { 'Retry-After': 5 });
      return;
    }
    req.socket.setNoDelay(true);
    res.writeHead(200, {
      ...SECURITY,
      'Content-Type': 'text/event-stream; charset=utf-8',
      // neither caches nor compressing proxies may hold it back
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    const viewer = new Viewer(res, () => this.#leave(viewer));
    this.#viewers.add(viewer);
    this.#aggregator.listen(true);
    viewer.write(Buffer.from(`retry: ${RETRY_MS}\n\n`));
    viewer.write(this.#whole());
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#aggregator.stop();
    for (const viewer of this.#viewers) viewer.end();
    this.#viewers.clear();
  }

  #leave(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size === 0) this.#aggregator.listen(false);
  }

  #tell(tick: () => string): void {
    if (this.#viewers.size === 0) return;
    const bytes = eventOf('tick', tick());
    let whole: Buffer | undefined;
    for (const viewer of this.#viewers) viewer.tell(bytes, () => (whole ??= this.#whole()));
  }

  #whole(): Buffer {
    return eventOf('snapshot', this.#aggregator.snapshot());
  }
}

function eventOf(name: string, json: string): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${json}\n\n`);
}
