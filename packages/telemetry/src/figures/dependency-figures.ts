import { INSTRUMENTS, type Instrument } from '@spillway/core/instruments';
import { BreakerDim } from './breaker-dim.js';
import { CallFigures } from './call-figures.js';
import { FigureSet, labelOf, type SetOptions } from './figure-set.js';

/** Instruments that are told apart by dependency. */
const OF_DEPENDENCY: readonly Instrument[] = INSTRUMENTS.filter(isOfDependency);
/** All others. */
export const OF_SERVICE: readonly Instrument[] = INSTRUMENTS.filter((row) => !isOfDependency(row));

const BREAKER = labelOf('spillway_breaker_transitions_total', 'breaker');

function isOfDependency({ labels }: Instrument): boolean {
  return labels.some(({ name }) => name === 'dependency');
}

/** What is counted of one dependency. */
export class DependencyFigures {
  readonly set: FigureSet;
  readonly calls: CallFigures;
  readonly breakers: BreakerDim;

  /** @param mayShow may a key of a breaker be seen? */
  constructor(options: SetOptions, mayShow: (key: string) => boolean) {
    this.breakers = new BreakerDim(BREAKER, options.limits[BREAKER.name] ?? BREAKER.limit ?? 0, {
      mayShow,
      folded: () => options.folded(BREAKER),
      taken: (index) => this.set.counter('spillway_breaker_transitions_total').clear(index),
    });
    this.set = new FigureSet(OF_DEPENDENCY, options, [this.breakers]);
    this.calls = new CallFigures(this.set);
  }
}
