/** What a transport is handed: one attempt of a request, as plain data. */
export interface TransportRequest {
  readonly dependency: string;
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  /** By lower-case name, as they would go out; Spillway's own headers of this attempt included. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** All of it; undefined when the request has none. */
  readonly body: Uint8Array | undefined;
  /** 1-based number of this attempt. */
  readonly attempt: number;
  /** Time this attempt may take, in ms; Infinity when unbounded. */
  readonly timeoutMs: number;
  /** Aborts when the attempt is given up. Reading it makes it: leave it alone when it is not needed. */
  readonly signal: AbortSignal;
}

/** What a transport answers with. */
export interface TransportResponse {
  /** 200 to 599. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Chunks may come late; an iteration that throws is an answer cut short after its headers. */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/**
 * Stands in for the network of one dependency (`createSpillway(config, { transports: { quotes } })`): scripted
 * answers in a test, a simulated service, a recording. A rejection is a failed connection, read by its `code` as
 * Node's own are: `ECONNREFUSED` was surely not sent, `ECONNRESET` perhaps was. A TypeError without a `cause` is a
 * bug in the transport and reaches the caller as it is.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse> | TransportResponse;
