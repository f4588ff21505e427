import { spillwayError } from '../call/errors.js';
import type { ResolvedConfig } from '../config/resolved.js';
import { type Fault, readFault } from '../policies/fault-options.js';
import { FaultSet } from '../policies/fault-set.js';
import type { DependencyRuntime } from './dependency-runtime.js';

/** An injected fault. */
export interface InjectedFault {
  /** False once it was undone or its time is over. */
  readonly active: boolean;
  /** Attempts that have suffered it. */
  readonly struck: number;
  /** Ends it. A second time does nothing. */
  undo(): void;
}

/** @throws SpillwayError ERR_CONFIG where faults are not allowed, or for a fault that makes no sense; ERR_CLOSED */
export function injectFault(
  runtime: DependencyRuntime,
  allowed: ResolvedConfig['faults'],
  fault: Fault,
): InjectedFault {
  refuseWhere(runtime.name, allowed);
  if (runtime.phase.current === 'closed') throw closed(runtime.name);
  const resolved = readFault(runtime.name, fault, runtime.clock.wall());
  runtime.faults ??= new FaultSet(runtime.clock);
  const set = runtime.faults;
  // attempts ask no more once nothing is left that could befall them
  const ended = () => {
    if (set.empty && runtime.faults === set) runtime.faults = undefined;
  };
  const active = set.add(resolved, ended);
  return {
    get active() {
      return set.has(active);
    },
    get struck() {
      return active.struck;
    },
    undo() {
      set.remove(active);
      ended();
    },
  };
}

function refuseWhere(dependency: string, allowed: ResolvedConfig['faults']): void {
  if (allowed === 'always') return;
  const isProduction = process.env['NODE_ENV'] === 'production';
  if (allowed === 'outside-production' && !isProduction) return;
  const why = allowed === 'never' ? "faults is 'never'" : "NODE_ENV is 'production'";
  throw spillwayError(
    'ERR_CONFIG',
    `inject into ${dependency}: refused, for ${why}; write faults: 'always' into the configuration to allow it here`,
    { dependency },
  );
}

function closed(dependency: string): Error {
  return spillwayError('ERR_CLOSED', `inject into ${dependency}: spillway.close() was called before`, {
    dependency,
  });
}
