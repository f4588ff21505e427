import type { Spillway } from '@spillway/core';

/**
 * Tells the types which dependencies `req.spillway` knows. Without it every name is accepted.
 * @example
 * declare module '@spillway/express' {
 *   interface Register { spillway: typeof spillway }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications fill it by declaration merging
export interface Register {}

/** The dependencies, and what their fallbacks answer, of the registered spillway. */
export type Registered = Register extends { readonly spillway: Spillway<infer F> }
  ? F
  : Record<string, unknown>;
