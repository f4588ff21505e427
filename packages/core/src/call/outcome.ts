/** How a step ended. Steps never reject: a failure is a value until it leaves Spillway. */
export type Outcome<T> = Success<T> | Failure;

export interface Success<T> {
  readonly ok: true;
  readonly value: T;
  readonly error: undefined;
}

export interface Failure {
  readonly ok: false;
  readonly value: undefined;
  readonly error: unknown;
}

export function success<T>(value: T): Success<T> {
  return { ok: true, value, error: undefined };
}

export function failure(error: unknown): Failure {
  return { ok: false, value: undefined, error };
}
