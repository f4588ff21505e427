import { spillwayError } from '../call/errors.js';
import { type ProblemAnswer, problemOf } from './problem.js';

/**
 * The answers of the gate's refusals. They differ in the seconds of their Retry-After alone, so each is made once: an
 * overloaded server has better things to do.
 */
export class RefusalProblems {
  readonly #service: string;
  readonly #overloaded: Map<number, ProblemAnswer> = new Map();
  readonly #draining: Map<number, ProblemAnswer> = new Map();

  constructor(service: string) {
    this.#service = service;
  }

  of(isDraining: boolean, retryAfterMs: number): ProblemAnswer {
    const made = isDraining ? this.#draining : this.#overloaded;
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
    let problem = made.get(seconds);
    if (problem === undefined) {
      const message = isDraining ? 'The server is shutting down' : 'The server is overloaded';
      const error = spillwayError('ERR_OVERLOADED', message, { retryAfterMs: seconds * 1000 });
      problem = problemOf(error, this.#service);
      made.set(seconds, problem);
    }
    return problem;
  }
}
