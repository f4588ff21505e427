import {
  type Attempt,
  type CallOptions,
  type InjectedAnswer,
  type Judgement,
  type Operation,
  type Outcome,
  type SpillwayError,
  spillwayError,
  type Transport,
} from '@spillway/core';
import type { Response } from 'got';
import { explain } from '../outcome/explain.js';
import { failedAttempt, goodAnswer } from '../outcome/judge-answer.js';
import { markUnhandled, sealError } from '../outcome/seal-error.js';
import type { HttpRequest } from '../request/http-request.js';
import { attemptBody } from '../wire/attempt-body.js';
import { Exchange } from '../wire/exchange.js';
import { pretended } from '../wire/pretended.js';
import { asBytes, asText, type BodyForm, degraded, readBody } from './body-forms.js';
import type { BodyReader } from './client-promise.js';
import { KeptBody } from './kept-body.js';
import { wholeAnswer } from './whole-answer.js';

/** A promised request as an operation of the pipeline: covered by the deadline to the end of its body. */
export class RequestOperation implements Operation<Response>, BodyReader {
  readonly #request: HttpRequest;
  #exchange: Exchange | undefined;
  /** got's answer to the last attempt; an outcome with another value is a fallback's. */
  #response: Response | undefined;
  #wantsJson = false;
  /** The body, parsed while the attempt could still be judged by it. */
  #parsed: { value: unknown } | undefined;

  constructor(request: HttpRequest) {
    this.#request = request;
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

  get options(): CallOptions<unknown> {
    return this.#request.policy;
  }

  get answerKey(): string | undefined {
    return this.#request.answerKey;
  }

  keep(response: Response): unknown {
    return KeptBody.of(response);
  }

  expectJson(): void {
    this.#wantsJson = true;
  }

  work(attempt: Attempt): Promise<Response> {
    return this.#send(attempt, this.#request.upstream.transport);
  }

  pretend(attempt: Attempt, answer: InjectedAnswer): Promise<Response> {
    return this.#send(attempt, pretended(answer));
  }

  judge(outcome: Outcome<Response>, attempt: Attempt): Judgement {
    if (outcome.ok) return goodAnswer(outcome.value.statusCode);
    return failedAttempt(this.#request, this.#exchange as Exchange, attempt);
  }

  read(outcome: Outcome<unknown>, form: BodyForm | 'answer'): unknown {
    const response = this.#responseOf(outcome);
    if (response !== undefined) return form === 'answer' ? response : this.#bodyOf(response, form);
    const value = outcome.value;
    if (value instanceof KeptBody) return value.read(form, this.#request.parseJson);
    if (form === 'answer') return degraded(value);
    return form === 'json' ? value : form === 'text' ? asText(value) : asBytes(value);
  }

  async #send(attempt: Attempt, transport: Transport | undefined): Promise<Response> {
    const request = this.#request;
    const exchange = new Exchange(request, attempt, this.#asksForJson, transport);
    this.#exchange = exchange;
    try {
      const body =
        request.body.make === undefined ? request.body.value : await attemptBody(request.body.make, attempt);
      const response = await wholeAnswer(request.open(exchange.send, body));
      if (this.#wantsJson) this.#parsed = { value: readBody(response, 'json', request.parseJson) };
      this.#response = response;
      return response;
    } catch (error) {
      throw attempt.cancelled ? attempt.reason : explain(error, exchange);
    } finally {
      exchange.end();
    }
  }

  readonly #asksForJson = (): boolean => this.#wantsJson;

  /** Undefined when a fallback answered. */
  #responseOf(outcome: Outcome<unknown>): Response | undefined {
    if (outcome.ok) return outcome.value === this.#response ? this.#response : undefined;
    const { error } = outcome;
    const { name, response } = (error ?? {}) as { name?: unknown; response?: Response };
    if (name !== 'HTTPError' || response === undefined) throw error;
    if (!this.#request.throwHttpErrors) return response;
    markUnhandled(error);
    throw error;
  }

  #bodyOf(response: Response, form: BodyForm): unknown {
    const parsed = this.#parsed;
    if (form === 'json' && parsed !== undefined && response === this.#response) {
      // whoever asks again gets an object of its own
      this.#parsed = undefined;
      return parsed.value;
    }
    try {
      return readBody(response, form, this.#request.parseJson);
    } catch (error) {
      throw this.#unparsable(error);
    }
  }

  /** Asked for JSON when the operation was over: nobody learns from it any more. */
  #unparsable(cause: unknown): SpillwayError {
    sealError(cause);
    const { name } = this.#request.upstream;
    return spillwayError('ERR_UPSTREAM', `${name} failed: answer does not parse`, {
      dependency: name,
      operation: this.operation,
      cause,
      status: 502,
      stopped: 'not-retryable',
      sent: 'answered',
      attempts: 1,
    });
  }
}
