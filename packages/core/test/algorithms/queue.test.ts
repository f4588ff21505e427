import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Queue, type QueueNode } from '../../src/algorithms/queue.js';

class Node implements QueueNode<Node> {
  prevWaiter: Node | undefined = undefined;
  nextWaiter: Node | undefined = undefined;
  queue: unknown = undefined;
  readonly name: number;

  constructor(name: number) {
    this.name = name;
  }
}

function names(queue: Queue<Node>): number[] {
  const found: number[] = [];
  for (let node = queue.head; node !== undefined; node = node.nextWaiter) found.push(node.name);
  return found;
}

describe('a queue', () => {
  test('gives back in order from either end', () => {
    const queue = new Queue<Node>();
    queue.pushTail(new Node(1));
    queue.pushTail(new Node(2));
    queue.pushHead(new Node(0));
    expect(names(queue)).toEqual([0, 1, 2]);
    expect([queue.head?.name, queue.tail?.name]).toEqual([0, 2]);
    expect(queue.shift()?.name).toBe(0);
    expect(queue.pop()?.name).toBe(2);
    expect(queue.shift()?.name).toBe(1);
    expect([queue.shift(), queue.pop(), queue.length]).toEqual([undefined, undefined, 0]);
  });

  test('removes only what stands in it', () => {
    const one = new Queue<Node>();
    const two = new Queue<Node>();
    const node = new Node(1);
    one.pushTail(node);
    expect(two.remove(node)).toBe(false);
    expect(one.remove(node)).toBe(true);
    expect(one.remove(node)).toBe(false);
    two.pushTail(node);
    expect(names(two)).toEqual([1]);
  });

  test('agrees with an array whatever is done to it', () => {
    const act = fc.record({
      act: fc.constantFrom('head', 'tail', 'shift', 'pop', 'remove'),
      which: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const queue = new Queue<Node>();
        let model: Node[] = [];
        let name = 0;
        for (const { act, which } of acts) {
          const node = new Node(name++);
          const victim = model[which % Math.max(1, model.length)];
          if (act === 'head') model.unshift(node);
          if (act === 'head') queue.pushHead(node);
          if (act === 'tail') model.push(node);
          if (act === 'tail') queue.pushTail(node);
          if (act === 'shift') expect(queue.shift()).toBe(model.shift());
          if (act === 'pop') expect(queue.pop()).toBe(model.pop());
          if (act === 'remove' && victim !== undefined) {
            expect(queue.remove(victim)).toBe(true);
            model = model.filter((other) => other !== victim);
          }
          expect(names(queue)).toEqual(model.map((other) => other.name));
          expect(queue.length).toBe(model.length);
          expect(queue.tail).toBe(model.at(-1));
        }
      }),
    );
  });
});
