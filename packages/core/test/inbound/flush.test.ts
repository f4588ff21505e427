import { beforeEach, describe, expect, it } from '@jest/globals';
import { Flush } from '../../src/inbound/flush.js';

describe('fetching what the kernel has piled up', () => {
  let flush: Flush;
  let now = 0;

  beforeEach(() => {
    flush = new Flush();
    now = 0;
  });

  /** So many turns of 1 ms; says after which one it should begin, 0 for none. */
  function turns(count: number, isFed: boolean): number {
    for (let i = 1; i <= count; i++) {
      now++;
      if (flush.turned({ ms: 1, ownMs: 1, arrivals: 1, isFed }, now)) return i;
    }
    return 0;
  }

  it('should begin after four turns in a row that a new connection fed', () => {
    expect([turns(3, true), turns(1, false), turns(10, true)]).toEqual([0, 0, 4]);
    expect(flush.isOn).toBe(false);
  });

  it('keeps out a class and those below it, until two turns in a row brought none', () => {
    flush.begin(1, now);
    expect([flush.isOn, flush.rank]).toEqual([true, 1]);
    turns(20, true);
    turns(1, false);
    turns(1, true);
    turns(1, false);
    expect(flush.isOn).toBe(true);
    turns(1, false);
    expect([flush.isOn, flush.rank]).toEqual([false, -1]);
    expect(turns(4, true)).toBe(4);
  });

  it('ends after 250 ms where new connections come for ever, and waits as long', () => {
    flush.begin(0, now);
    turns(249, true);
    expect(flush.isOn).toBe(true);
    turns(1, true);
    expect(flush.isOn).toBe(false);
    flush.begin(0, now);
    expect(flush.isOn).toBe(false);
    expect(turns(500, true)).toBe(250);
    flush.begin(0, now);
    expect(flush.isOn).toBe(true);
  });

  it('is over when overload is', () => {
    flush.begin(2, now);
    turns(3, true);
    flush.end();
    expect(flush.isOn).toBe(false);
    expect(turns(4, true)).toBe(4);
  });
});
