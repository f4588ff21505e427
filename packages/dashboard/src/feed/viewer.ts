import type { ServerResponse } from 'node:http';

/** Ticks that a viewer may be behind before its connection is ended; its browser comes again by itself. */
const PATIENCE = 30;

/**
 * One open page. A reader that is slower than the feed misses ticks rather than filling our memory: once it has caught
 * up it gets the whole state anew.
 */
export class Viewer {
  readonly #res: ServerResponse;
  /** Ticks since it stopped reading. */
  #behind = 0;
  #isFull = false;

  constructor(res: ServerResponse, gone: () => void) {
    this.#res = res;
    res.on('drain', () => {
      this.#isFull = false;
    });
    // one that breaks closes as well
    res.on('error', gone);
    res.on('close', gone);
  }

  /** @param tick what has changed @param whole all of it, for one who missed something */
  tell(tick: Buffer, whole: () => Buffer): void {
    if (this.#isFull) {
      this.#behind++;
      if (this.#behind > PATIENCE) this.#res.destroy();
      return;
    }
    this.write(this.#behind > 0 ? whole() : tick);
    this.#behind = 0;
  }

  write(bytes: Buffer): void {
    if (!this.#res.write(bytes)) this.#isFull = true;
  }

  end(): void {
    this.#res.end();
  }
}
