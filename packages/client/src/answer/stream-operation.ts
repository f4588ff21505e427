import {
  type Attempt,
  type CallOptions,
  followSignal,
  type InjectedAnswer,
  type Judgement,
  type Operation,
  OUTCOME_TABLE,
  type Outcome,
  spillwayError,
  type Transport,
  unfollowSignal,
} from '@spillway/core';
import { HTTPError, type Request, type Response } from 'got';
import { explain } from '../outcome/explain.js';
import { failedAttempt, goodAnswer } from '../outcome/judge-answer.js';
import { markUnhandled, sealError } from '../outcome/seal-error.js';
import type { HttpRequest } from '../request/http-request.js';
import { attemptBody } from '../wire/attempt-body.js';
import { Exchange } from '../wire/exchange.js';
import { pretended } from '../wire/pretended.js';
import type { ClientStream, StreamOwner } from './client-stream.js';

/** got's stream, from its headers on. */
interface StreamAnswer {
  readonly source: Request;
  readonly response: Response;
}

/**
 * A streamed request as an operation of the pipeline: it succeeds with the answer's headers, and keeps its unit of the
 * bulkhead to the end of the body.
 */
export class StreamOperation implements Operation<StreamAnswer>, StreamOwner {
  readonly options: CallOptions<unknown>;
  readonly #request: HttpRequest;
  readonly #stream: ClientStream;
  readonly #controller = new AbortController();
  #exchange: Exchange | undefined;

  constructor(request: HttpRequest, stream: ClientStream) {
    this.#request = request;
    this.#stream = stream;
    this.options = { ...request.policy, signal: this.#controller.signal, fallback: false };
    stream.belongsTo(this);
    this.#followSignal(request.policy.signal);
  }

  get operation(): string {
    return this.#request.operation;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#request.path;
  }

  get origin(): string {
    return this.#request.upstream.base.origin;
  }

  get idempotent(): boolean {
    return this.#request.idempotent;
  }

  get keyed(): boolean {
    return this.#request.keyed;
  }

  get key(): string | undefined {
    return this.#request.sentKey;
  }

  work(attempt: Attempt): Promise<StreamAnswer> {
    return this.#send(attempt, this.#request.upstream.transport);
  }

  pretend(attempt: Attempt, answer: InjectedAnswer): Promise<StreamAnswer> {
    return this.#send(attempt, pretended(answer));
  }

  judge(outcome: Outcome<StreamAnswer>, attempt: Attempt): Judgement {
    const exchange = this.#exchange as Exchange;
    if (!outcome.ok) return failedAttempt(this.#request, exchange, attempt);
    const { statusCode } = outcome.value.response;
    if (statusCode < 400) return goodAnswer(statusCode);
    exchange.kind = exchange.kindOfAnswer();
    return failedAttempt(this.#request, exchange, attempt);
  }

  discard({ source }: StreamAnswer): void {
    source.destroy();
  }

  /** The outcome reaches the stream. */
  settle(outcome: Outcome<unknown>): void {
    if (!outcome.ok) {
      const { error } = outcome;
      if ((error as { name?: unknown } | null)?.name === 'HTTPError') markUnhandled(error);
      this.#stream.destroy(error as Error);
      return;
    }
    const { source, response } = outcome.value as StreamAnswer;
    this.#followParent();
    this.#stream.attach(source, response);
  }

  abandon(reason: unknown): void {
    this.#controller.abort(reason ?? new Error('The stream was destroyed'));
  }

  /** The body ended early, after the operation had succeeded with its headers. */
  explain(error: unknown): unknown {
    sealError(error);
    const { name } = this.#request.upstream;
    return spillwayError('ERR_UPSTREAM', `${name} failed: answer cut short`, {
      dependency: name,
      operation: this.operation,
      cause: error,
      status: 502,
      sent: 'answered',
    });
  }

  async #send(attempt: Attempt, transport: Transport | undefined): Promise<StreamAnswer> {
    const { body } = this.#request;
    const exchange = new Exchange(this.#request, attempt, never, transport);
    this.#exchange = exchange;
    try {
      const made = body.make === undefined ? body.value : await attemptBody(body.make, attempt);
      return await this.#headers(exchange, attempt, made ?? this.#stream.upload);
    } catch (error) {
      throw attempt.cancelled ? attempt.reason : explain(error, exchange);
    } finally {
      exchange.end();
    }
  }

  #headers(exchange: Exchange, attempt: Attempt, body: unknown): Promise<StreamAnswer> {
    const { throwHttpErrors, judgedByTable } = this.#request;
    const source = this.#request.open(exchange.send, body, throwHttpErrors);
    // got would wait for one to be written
    if (body === undefined) source.end();
    return new Promise((resolve, reject) => {
      source.on('error', reject);
      source.once('response', (response: Response) => {
        if (judgedByTable && OUTCOME_TABLE[exchange.kindOfAnswer()].caller === 'upstream') {
          // got lets it pass with throwHttpErrors: false; a failure it is all the same
          source.destroy();
          return reject(new HTTPError(response));
        }
        attempt.hold(endOf(source));
        resolve({ source, response });
      });
    });
  }

  #followSignal(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    followSignal(signal, this.#stream);
    this.#stream.once('close', () => unfollowSignal(signal, this.#stream));
  }

  /** From the headers on the operation is over, so the stream itself hears when its request is cancelled. */
  #followParent(): void {
    const { parent } = this.#request.policy;
    if (parent === undefined) return;
    if (parent.cancelled) {
      this.#stream.onCancel(parent.reason);
      return;
    }
    parent.listen(this.#stream);
    this.#stream.once('close', () => parent.unlisten(this.#stream));
  }
}

function never(): boolean {
  return false;
}

/** Settles when nothing more of the body will come. */
function endOf(source: Request): Promise<void> {
  return new Promise((resolve) => {
    const ended = () => resolve();
    source.once('end', ended);
    source.once('error', ended);
    source.once('close', ended);
  });
}
