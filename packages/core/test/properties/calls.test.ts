import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Call, type CancelListener, VirtualClock } from '../../src/index.js';
import { RUNS } from '../runs.js';
import { countListeners } from './listeners.js';

interface Plan {
  /** Which call it is a child of; the first has none. */
  readonly parent: number;
  readonly follows: boolean;
  readonly reads: boolean;
  readonly ends: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  parent: fc.nat(20),
  follows: fc.boolean(),
  reads: fc.boolean(),
  ends: fc.constantFrom(true, false, false),
});

/** A call and what it has heard. */
class Node implements CancelListener {
  readonly call: Call;
  readonly parent: Node | undefined;
  readonly controller: AbortController | undefined;
  readonly listeners;
  readonly heard: unknown[] = [];
  ended = false;

  constructor(clock: VirtualClock, parent: Node | undefined, { follows, reads }: Plan) {
    this.parent = parent;
    this.call = new Call(clock, parent?.call, Number.POSITIVE_INFINITY);
    this.call.listen(this);
    if (follows) {
      this.controller = new AbortController();
      this.listeners = countListeners(this.controller.signal);
      this.call.follow(this.controller.signal);
    }
    if (reads) this.call.signal.addEventListener('abort', () => this.heard.push(this.call.signal.reason));
  }

  onCancel(reason: unknown): void {
    this.heard.push(reason);
  }

  end(): void {
    this.ended = true;
    this.call.unlisten(this);
    this.call.end();
  }

  /** Is it below `other`, or that one itself, with nobody in between who has ended? */
  hears(other: Node): boolean {
    if (this === other) return true;
    return !this.ended && this.parent?.hears(other) === true;
  }
}

describe('a tree of calls', () => {
  test('hears of a cancellation in the same turn, everybody below once, with its reason, and nobody else', () => {
    const counts = { below: 0, runs: 0 };
    fc.assert(
      fc.property(
        fc.array(plan, { minLength: 1, maxLength: 12, size: 'max' }),
        fc.nat(11),
        fc.boolean(),
        (plans, which, bySignal) => {
          const clock = new VirtualClock();
          const nodes: Node[] = [];
          for (const one of plans) {
            const parent = nodes.length === 0 ? undefined : nodes[one.parent % nodes.length];
            nodes.push(new Node(clock, parent, one));
          }
          plans.forEach(({ ends }, index) => {
            if (ends) nodes[index]?.end();
          });
          const target = nodes[which % nodes.length] as Node;
          const reason = new Error('over');
          const unheard = bySignal && (target.ended || target.controller === undefined);
          if (bySignal) target.controller?.abort(reason);
          else target.call.cancel(reason);
          target.call.cancel(new Error('too late'));
          nodes.forEach((node, index) => {
            const due = node.hears(target);
            const times = due ? Number(!node.ended) + Number(plans[index]?.reads) : 0;
            const wanted = Array<string>(times).fill(unheard ? 'too late' : 'over');
            const heard = node.heard.map((error) => (error as Error).message);
            if (heard.join() !== wanted.join() || node.call.cancelled !== due)
              expect(heard).toBe({ wanted, due });
            if (due && node !== target) counts.below++;
          });
          for (const node of nodes) node.end();
          const left = nodes.map(({ call, listeners }) => call.listenerCount + (listeners?.count ?? 0));
          expect(left).toEqual(nodes.map(() => 0));
          counts.runs++;
        },
      ),
      RUNS,
    );
    expect(counts.below).toBeGreaterThan(counts.runs / 2);
  });
});
