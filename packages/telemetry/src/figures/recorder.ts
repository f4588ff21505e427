import type { Spillway, SpillwayEvent } from '@spillway/core';
import { SERVICE } from '@spillway/core/instruments';
import { DependencyFigures, OF_SERVICE } from './dependency-figures.js';
import { FigureSet } from './figure-set.js';
import { type Figures, HANDLERS } from './handlers.js';
import type { Labels, Sample } from './sample.js';

export interface RecorderOptions {
  /** Limits of open labels, by name. */
  readonly limits: Readonly<Record<string, number | undefined>>;
  /** May this key of a breaker be seen? */
  readonly mayShow: (dependency: string, key: string) => boolean;
}

/** Everything that is counted of one spillway: the one observer behind the metrics, and what it has counted. */
export class Recorder implements Figures {
  readonly base: Labels;
  readonly own: FigureSet;
  readonly #options: RecorderOptions;
  readonly #dependencies = new Map<string, DependencyFigures>();
  #last: DependencyFigures | undefined;
  #lastName = '';

  constructor({ service, config }: Pick<Spillway, 'service' | 'config'>, options: RecorderOptions) {
    this.base = { [SERVICE.name]: service };
    this.#options = options;
    const { limits } = options;
    const folded = ({ name }: { name: string }) => this.own.count('spillway_telemetry_folded_total', [name]);
    this.own = new FigureSet(OF_SERVICE, { base: this.base, limits, folded });
    for (const [name] of config.dependencies) this.of(name);
  }

  /** Takes one event. Those of every operation are told apart first: to look a handler up takes longer than to count. */
  readonly observe = (event: SpillwayEvent): void => {
    switch (event.type) {
      case 'operation.start':
      case 'attempt.start':
        return;
      case 'attempt.end':
        this.of(event.dependency).calls.attemptEnded(event);
        return;
      case 'operation.end':
        this.of(event.dependency).calls.operationEnded(event);
        return;
      default:
        this.#count(event);
    }
  };

  of(dependency: string): DependencyFigures {
    if (dependency === this.#lastName && this.#last !== undefined) return this.#last;
    const figures = this.#dependencies.get(dependency) ?? this.#add(dependency);
    this.#last = figures;
    this.#lastName = dependency;
    return figures;
  }

  read(name: string, into: Sample[]): void {
    this.own.read(name, into);
    for (const { set } of this.#dependencies.values()) set.read(name, into);
  }

  reset(): void {
    this.own.reset();
    for (const { set } of this.#dependencies.values()) set.reset();
  }

  #count(event: SpillwayEvent): void {
    const handle = HANDLERS[event.type] as ((figures: Figures, event: SpillwayEvent) => void) | undefined;
    if (handle !== undefined) handle(this, event);
  }

  #add(dependency: string): DependencyFigures {
    const { limits, mayShow } = this.#options;
    const figures = new DependencyFigures(
      {
        base: { ...this.base, dependency },
        limits,
        folded: ({ name }) => this.own.count('spillway_telemetry_folded_total', [name]),
      },
      (key) => mayShow(dependency, key),
    );
    this.#dependencies.set(dependency, figures);
    return figures;
  }
}
