import type { Duration } from '../config/types.js';

/** Calls per second (a number), or per unit: `'10000/min'`. */
export type Rate = number | `${number}/${'s' | 'min' | 'h'}`;

/** What is known of the traffic to one dependency; everything is optional, and each part lets more rules speak. */
export interface TrafficDeclaration {
  /** Operations of all instances together. */
  readonly rate?: Rate;
  /** Median time of a healthy attempt. */
  readonly p50?: Duration;
  /** 99 of 100 healthy attempts are faster. */
  readonly p99?: Duration;
  /** How many instances of this service call it. Default: those of the service, else 1. */
  readonly instances?: number;
  /** Attempts that a mesh or proxy on the way makes of each one of ours. Default 1. */
  readonly meshAttempts?: number;
  /** Share of operations whose first attempt fails on a normal day, 0 to 1. */
  readonly failing?: number;
  /** What a request has spent before it calls this dependency. */
  readonly spent?: Duration;
  /** HTTP methods it is called with. */
  readonly methods?: readonly string[];
  /** Do requests of unsafe methods carry an idempotency key? Default false. */
  readonly keyed?: boolean;
}

/** One service calling another. */
export interface GraphCall {
  /** All attempts, the first included. Default: the checked configuration's where it has this call, else 1. */
  readonly attempts?: number;
  /** Attempts a mesh makes of each one. Default 1. */
  readonly meshAttempts?: number;
  /** As `retry.owner`. Default `here`. */
  readonly owner?: 'here' | 'above' | 'ignore';
  /** Is the caller on Spillway, and so honours and sends X-Should-Retry? Default true. */
  readonly spillway?: boolean;
  /** Longest attempt. */
  readonly timeout?: Duration;
  /** Longest operation. */
  readonly deadline?: Duration;
}

export interface GraphService {
  /** What it calls, by name. */
  readonly calls?: Readonly<Record<string, GraphCall>>;
}

/** Which service calls which; paths run from the services that nobody calls to those that call nobody. */
export interface CallGraph {
  readonly services: Readonly<Record<string, GraphService>>;
}

/** An idempotency store that the service uses. */
export interface StoreDeclaration {
  readonly kind: 'memory' | 'sqlite' | 'redis' | 'postgres' | (string & {});
  /** How long a key is kept. */
  readonly ttl?: Duration;
  /** How long after its first attempt a caller may still retry. Default: the longest inbound deadline. */
  readonly horizon?: Duration;
}

/** What the checker is told beside the configuration. */
export interface CheckInput {
  /** Is this what runs in production? */
  readonly production?: boolean;
  /** How many instances of this service run. Default 1. */
  readonly instances?: number;
  /** By dependency. */
  readonly traffic?: Readonly<Record<string, TrafficDeclaration>>;
  readonly graph?: CallGraph;
  readonly stores?: readonly StoreDeclaration[];
}
