import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { Viewer } from '../../src/feed/viewer.js';

/** A response that takes nothing more once it holds `room` writes, until it drains. */
class Pipe extends EventEmitter {
  readonly written: string[] = [];
  room = Number.POSITIVE_INFINITY;
  destroyed = false;

  write(bytes: Buffer): boolean {
    this.written.push(bytes.toString());
    this.room--;
    return this.room > 0;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  end(): void {
    this.destroy();
  }

  drain(): void {
    this.room = Number.POSITIVE_INFINITY;
    this.emit('drain');
  }
}

function scene() {
  const pipe = new Pipe();
  let gone = 0;
  const viewer = new Viewer(pipe as unknown as ServerResponse, () => {
    gone++;
  });
  let wholes = 0;
  const whole = () => {
    wholes++;
    return Buffer.from('whole');
  };
  const tell = (tick: string) => viewer.tell(Buffer.from(tick), whole);
  return { pipe, viewer, tell, gone: () => gone, wholes: () => wholes };
}

describe('a viewer', () => {
  test('that keeps up gets every tick', () => {
    const { pipe, tell, wholes } = scene();
    for (const tick of ['1', '2', '3']) tell(tick);
    expect(pipe.written).toEqual(['1', '2', '3']);
    expect(wholes()).toBe(0);
  });

  test('that reads slowly misses ticks, and gets all of it once it has caught up', () => {
    const { pipe, tell } = scene();
    pipe.room = 1;
    for (const tick of ['1', '2', '3']) tell(tick);
    expect(pipe.written).toEqual(['1']);
    pipe.drain();
    for (const tick of ['4', '5']) tell(tick);
    expect(pipe.written).toEqual(['1', 'whole', '5']);
  });

  test('that drained before the next tick has missed nothing', () => {
    const { pipe, tell, wholes } = scene();
    pipe.room = 1;
    tell('1');
    pipe.drain();
    tell('2');
    expect(pipe.written).toEqual(['1', '2']);
    expect(wholes()).toBe(0);
  });

  test('that does not read at all is let go', () => {
    const { pipe, tell, gone } = scene();
    pipe.room = 1;
    for (let tick = 0; tick <= 30; tick++) tell('x');
    expect(pipe.destroyed).toBe(false);
    tell('x');
    expect(pipe.destroyed).toBe(true);
    expect(pipe.written).toEqual(['x']);
    expect(gone()).toBe(1);
  });

  test('whose connection breaks is gone', () => {
    const { pipe, gone } = scene();
    pipe.emit('error', new Error('reset'));
    expect(gone()).toBe(1);
  });
});
