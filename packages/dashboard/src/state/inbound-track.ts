import type { Criticality, EventOf, InboundSnapshot } from '@spillway/core';
import type { InboundRow, InboundSeries } from '../messages.js';
import { Histogram, quantile } from './histogram.js';
import { Ring } from './ring.js';
import type { Span } from './span.js';
import { count, perSecond, sum, type Tally } from './tally.js';

interface Sample {
  readonly at: number;
  readonly admitted: number | null;
  readonly shed: number | null;
  readonly byClass: Tally;
  readonly byReason: Tally;
  readonly left: Histogram | undefined;
}

/** The gate over the last minutes. Who came and who was turned away comes out of events, while somebody watches. */
export class InboundTrack {
  readonly #span: Span;
  readonly #samples: Ring<Sample>;
  #admitted = 0;
  #shed = 0;
  #byClass: Tally;
  #byReason: Tally;
  #left: Histogram | undefined;
  #row: InboundRow | undefined;

  constructor(span: Span) {
    this.#span = span;
    this.#samples = new Ring(span.history);
  }

  admitted({ deadlineLeftMs }: EventOf<'inbound.admitted'>): void {
    this.#admitted++;
    this.#left ??= new Histogram();
    this.#left.record(deadlineLeftMs);
  }

  refused({ priority, reason, observed }: EventOf<'inbound.refused'>): void {
    if (observed) return;
    this.#shed++;
    this.#byClass = count(this.#byClass, priority);
    this.#byReason = count(this.#byReason, reason);
  }

  expired(): void {
    this.#shed++;
    this.#byReason = count(this.#byReason, 'expired');
  }

  /** @param isHeard did events come? Otherwise nobody counted */
  tick(
    { limit, inFlight, queued, detached }: InboundSnapshot,
    at: number,
    ms: number,
    isHeard: boolean,
  ): void {
    this.#samples.push({
      at,
      admitted: isHeard ? perSecond(this.#admitted, ms) : null,
      shed: isHeard ? perSecond(this.#shed, ms) : null,
      byClass: this.#byClass,
      byReason: this.#byReason,
      left: this.#left,
    });
    this.#admitted = 0;
    this.#shed = 0;
    this.#byClass = undefined;
    this.#byReason = undefined;
    this.#left = undefined;
    const minute = this.#samples.last(this.#span.minute);
    const last = minute.at(-1) as Sample;
    const recent = minute.slice(-this.#span.recent).map(({ left }) => left);
    this.#row = {
      limit: limit === Number.MAX_SAFE_INTEGER ? null : Math.floor(limit),
      inFlight,
      queued,
      detached,
      admitted: last.admitted,
      shed: last.shed,
      shedByClass: { ...NOBODY, ...sum(minute.map(({ byClass }) => byClass)) },
      shedByReason: sum(minute.map(({ byReason }) => byReason)),
      left10: quantile(recent, 0.1),
      left50: quantile(recent, 0.5),
    };
  }

  get row(): InboundRow {
    if (this.#row === undefined) throw new RangeError('a row is read after the first tick');
    return this.#row;
  }

  series(): InboundSeries {
    const samples = this.#samples.all();
    return {
      at: samples.map(({ at }) => at),
      admitted: samples.map(({ admitted }) => admitted),
      shed: samples.map(({ shed }) => shed),
    };
  }
}

const NOBODY: Readonly<Record<Criticality, number>> = {
  critical_plus: 0,
  critical: 0,
  sheddable_plus: 0,
  sheddable: 0,
};
