import type { Buffer } from 'node:buffer';
import type { Outcome } from '@spillway/core';
import type { Answer, ClientPromise } from '../types.js';
import type { BodyForm } from './body-forms.js';

/** Reads a final outcome in the form asked for. */
export interface BodyReader {
  /** Said before the request goes out, it is part of what the answer is judged by. */
  expectJson(): void;
  /** @throws the final error */
  read(outcome: Outcome<unknown>, form: BodyForm | 'answer'): unknown;
}

/** The promise of a request on its way; its body in the form asked for. */
export class RequestPromise<A> extends Promise<Answer<A>> implements ClientPromise<A> {
  readonly #reader: BodyReader;
  readonly #done: Promise<Outcome<unknown>>;

  /** What `then` gives is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(reader: BodyReader, done: Promise<Outcome<unknown>>) {
    super((resolve, reject) => {
      done.then((outcome) => {
        try {
          resolve(reader.read(outcome, 'answer') as Answer<A>);
        } catch (error) {
          reject(error);
        }
      });
    });
    this.#reader = reader;
    this.#done = done;
  }

  json<T = unknown>(): Promise<T | A> {
    this.#reader.expectJson();
    return this.#as('json') as Promise<T | A>;
  }

  text(): Promise<string> {
    return this.#as('text') as Promise<string>;
  }

  buffer(): Promise<Buffer> {
    return this.#as('buffer') as Promise<Buffer>;
  }

  #as(form: BodyForm): Promise<unknown> {
    // whoever asks for the body hears of a failure there
    this.catch(heardElsewhere);
    return this.#done.then((outcome) => this.#reader.read(outcome, form));
  }
}

function heardElsewhere(): void {}
