import type { OperationFacts } from '../pipeline/operation-call.js';
import type { Surround } from '../telemetry/fan-out.js';

interface Workload<A> {
  readonly spec: { work(attempt: A): unknown };
}

/**
 * The work of an attempt while a tracer wants it in the context of its span. A tracer that throws before the work has
 * begun is counted as an observer that does, and the work runs as if it were not there.
 */
export function surrounded<A>(
  load: Workload<A>,
  surround: Surround,
  { id, runtime }: Pick<OperationFacts, 'id' | 'runtime'>,
  number: number,
): Workload<A> {
  const work = (attempt: A): unknown => {
    let begun = false;
    const begin = (): unknown => {
      begun = true;
      return load.spec.work(attempt);
    };
    try {
      return surround(id, number, begin);
    } catch (error) {
      if (begun) throw error;
      runtime.emit.observerFailed(error, runtime.clock.now());
      return load.spec.work(attempt);
    }
  };
  return { spec: { work } };
}
