import type http from 'node:http';
import type { Socket } from 'node:net';
import {
  type Attempt,
  type CancelListener,
  kindOfStatus,
  OUTCOME_TABLE,
  type OutcomeKind,
  parseRetryAfter,
  type RetryAfter,
  Timer,
  type Transport,
} from '@spillway/core';
import { type ConnectionFacts, kindOfFailure } from '../outcome/failure-kind.js';
import type { HttpRequest } from '../request/http-request.js';
import { requestOn } from './native-request.js';
import { dropOurHeaders, type OutgoingHeaders, setOurHeaders } from './our-headers.js';
import { sendTo } from './transport-request.js';

/** More of an answer that will not be handed on is not read: its connection is closed (C-046). */
const DRAIN_LIMIT = 64 * 1024;

/**
 * One attempt on the wire. It is the `request` function of got, so it sees the connection before got does: it picks
 * the agent, sets our headers, bounds the connecting, and knows afterwards how far the request got.
 */
export class Exchange extends Timer implements CancelListener {
  readonly #request: HttpRequest;
  readonly #attempt: Attempt;
  readonly #wantsJson: () => boolean;
  /** In place of the network. */
  readonly #transport: Transport | undefined;
  #client: http.ClientRequest | undefined;
  #answer: http.IncomingMessage | undefined;
  #connected = false;
  /** In its agent's queue. */
  #waits = false;
  #hops = 0;
  /** What the connection had received before this request was put on it; undefined when it is a new one. */
  #receivedBefore: number | undefined;
  /** The answer was longer than what is read of a failure. */
  cutShort = false;
  /** How the attempt ended, once it failed. */
  kind: OutcomeKind | undefined;

  constructor(
    request: HttpRequest,
    attempt: Attempt,
    wantsJson: () => boolean,
    transport: Transport | undefined,
  ) {
    super();
    this.#request = request;
    this.#attempt = attempt;
    this.#wantsJson = wantsJson;
    this.#transport = transport;
    // a resend follows a request that may have been received
    attempt.sent = attempt.resend ? 'maybe' : 'no';
    attempt.waiting = true;
    attempt.listen(this);
  }

  /** got's `request` option. Called once, and once more for each redirect that is followed. */
  readonly send = (url: URL, options: http.RequestOptions): http.ClientRequest => {
    if (this.#attempt.cancelled) throw connectionError('ECONNRESET', 'given up before it was sent');
    this.#hops++;
    this.#answer = undefined;
    this.#writeHeaders(url, options.headers as OutgoingHeaders);
    const client = this.#open(url, options);
    this.#client = client;
    // a request that is destroyed twice tells so twice
    client.on('error', ignore);
    client.on('response', this.#onResponse);
    return client;
  };

  /** The attempt is over: nothing of it listens or is armed any more. */
  end(): void {
    this.#attempt.unlisten(this);
    this.#request.upstream.clock.disarm(this);
    this.#waits = false;
  }

  onCancel(): void {
    const client = this.#client;
    if (client === undefined || client.destroyed) return;
    client.destroy();
    // Node tells a request that waits in an agent's queue only when its turn comes
    if (this.#waits)
      client.emit('error', connectionError('ECONNRESET', 'given up while waiting for a socket'));
  }

  /** The time to connect is up. */
  onTimer(): void {
    const { connectMs } = this.#request.upstream.options.attempt;
    this.#client?.destroy(connectionError('ETIMEDOUT', `no connection within ${connectMs} ms`));
  }

  /** Remembers how the attempt failed. */
  failed(error: unknown): void {
    this.kind = this.cutShort ? this.kindOfAnswer() : kindOfFailure(error, this.#facts());
  }

  get status(): number | undefined {
    return this.#answer?.statusCode;
  }

  get headers(): http.IncomingHttpHeaders {
    return this.#answer?.headers ?? NO_HEADERS;
  }

  /** What the answer asks to wait. */
  get retryAfter(): RetryAfter | undefined {
    return parseRetryAfter(this.headers['retry-after'], this.#request.upstream.clock.wall());
  }

  #writeHeaders(url: URL, headers: OutgoingHeaders): void {
    if (this.#wantsJson() && headers['accept'] === undefined) headers['accept'] = 'application/json';
    if (url.origin === this.#request.upstream.base.origin)
      setOurHeaders(headers, this.#request, this.#attempt);
    else dropOurHeaders(headers, this.#request);
  }

  #open(url: URL, options: http.RequestOptions): http.ClientRequest {
    const { agents } = this.#request.upstream;
    const transport = this.#transport;
    if (transport !== undefined) {
      this.#attempt.waiting = false;
      this.#stands();
      return sendTo(transport, this.#request.upstream.name, this.#attempt, url, options);
    }
    const isOwnConnection = this.#attempt.fresh || this.#attempt.resend;
    const client = requestOn(isOwnConnection ? false : agents.of(url.protocol), url, options);
    this.#waits = true;
    client.on('socket', this.#onSocket);
    return client;
  }

  readonly #onSocket = (socket: Socket): void => {
    this.#waits = false;
    this.#attempt.waiting = false;
    const isReused = this.#client?.reusedSocket === true;
    // one that failed to connect before it was handed over
    if (socket.destroyed && !isReused) return;
    if (!socket.connecting) {
      this.#receivedBefore = isReused ? socket.bytesRead : undefined;
      this.#stands();
      return;
    }
    const { clock, options } = this.#request.upstream;
    const { connectMs } = options.attempt;
    if (connectMs !== undefined) clock.arm(this, connectMs);
    socket.once(this.#client?.protocol === 'https:' ? 'secureConnect' : 'connect', () => this.#stands());
  };

  /** From here on bytes may have arrived. */
  #stands(): void {
    this.#connected = true;
    if (this.#attempt.sent === 'no') this.#attempt.sent = 'maybe';
    this.#request.upstream.clock.disarm(this);
  }

  readonly #onResponse = (answer: http.IncomingMessage): void => {
    this.#answer = answer;
    this.#attempt.sent = 'answered';
    if (this.#request.method === 'HEAD' || !this.#request.judgedByTable) return;
    if (OUTCOME_TABLE[this.kindOfAnswer()].caller === 'upstream') this.#limit(answer);
  };

  /** Reads at most so much of an answer that is a failure. */
  #limit(answer: http.IncomingMessage): void {
    let received = 0;
    const count = (bytes: number): void => {
      received += bytes;
      if (received <= DRAIN_LIMIT || this.cutShort) return;
      this.cutShort = true;
      this.#client?.destroy();
    };
    count(Number(answer.headers['content-length']) || 0);
    received = 0;
    answer.on('data', (chunk: Buffer) => count(chunk.length));
  }

  /** The row of the answer's status. */
  kindOfAnswer(): OutcomeKind {
    const { keyed, key } = this.#request;
    return kindOfStatus(
      this.status ?? 0,
      keyed || key !== undefined,
      this.headers['retry-after'] !== undefined,
    );
  }

  #facts(): ConnectionFacts {
    const { body, idempotent, keyed, key } = this.#request;
    const received = this.#client?.socket?.bytesRead;
    return {
      opened: this.#client !== undefined,
      connected: this.#connected || this.#hops > 1,
      status: this.status,
      complete: this.#answer?.complete === true,
      hasRetryAfter: this.retryAfter !== undefined,
      reusedInSilence:
        this.#receivedBefore !== undefined && (received ?? this.#receivedBefore) === this.#receivedBefore,
      resendable: idempotent && body.replayable && !this.#attempt.resend,
      keyed: keyed || key !== undefined,
    };
  }
}

const NO_HEADERS: http.IncomingHttpHeaders = {};

function connectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function ignore(): void {
  // got has its own listener for it
}
