import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type {
  CallerDeadline,
  CallOptions,
  Criticality,
  RequestCall,
  RouteOptions,
  Spillway,
  SpillwayError,
  Work,
} from '@spillway/core';

/** What the suite uses of `req.spillway`, `ctx.spillway`, `request.spillway`. */
export interface ExchangeSpillway {
  readonly call: RequestCall;
  readonly signal: AbortSignal;
  readonly deadline: CallerDeadline;
  remainingMs(): number;
  dependency(name: string): { call<T>(work: Work<T>, options?: CallOptions<never>): Promise<unknown> };
}

export type AnswerBody = string | Readable | Readonly<Record<string, unknown>> | null;

/** One request as a handler of the suite sees it, whatever the framework. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly spillway: ExchangeSpillway;
  /** As the route's parser left it; of a multipart upload `{ fields, files }`, their numbers. */
  readonly body: unknown;
  /** Answers the framework's way. */
  answer(status: number, body?: AnswerBody, headers?: Readonly<Record<string, string>>): void;
  /** Answers 302, the framework's way. */
  redirect(url: string): void;
  /** Takes the response away from the framework: what follows is written on it by hand. */
  takeOver(): ServerResponse;
}

export type ExchangeHandler = (exchange: Exchange) => void | Promise<void>;

export interface SuiteRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handler: ExchangeHandler;
  /** Which of the framework's body parsers stands in front of the handler. */
  readonly body?: 'json' | 'multipart';
  /** Its options, given the way the framework has for it. */
  readonly options?: RouteOptions;
  readonly fallback?: (failure: SpillwayError, exchange: Exchange) => void | Promise<void>;
}

/** An application that an adapter builds for the suite. */
export interface ServerPlan {
  readonly spillway: Spillway<Record<string, unknown>>;
  readonly routes: readonly SuiteRoute[];
  /** Paths that the gate lets pass. */
  readonly exempt?: readonly string[];
  readonly priority?: (req: IncomingMessage) => Criticality | undefined;
  /** An error handler of the application's own; the framework's default when left out. */
  readonly onError?: (error: unknown, exchange: Exchange) => void;
  /** Spillway's optional error handler, which answers problem details. */
  readonly problemDetails?: boolean;
}

export interface RunningServer {
  /** Listens on 127.0.0.1. */
  readonly server: Server;
  /** What supertest takes. */
  readonly listener: Server | RequestListener;
  /** What the framework has logged as a warning or an error. */
  readonly logs: readonly string[];
  close(): Promise<void>;
}

/** A framework under test. */
export interface ServerAdapter {
  readonly name: string;
  start(plan: ServerPlan): Promise<RunningServer>;
}
