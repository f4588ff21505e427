import { Buffer } from 'node:buffer';
import type { Response } from 'got';
import { type BodyForm, degraded } from './body-forms.js';

/** The body of a good answer, kept to stand in for a later one. Every reader gets a copy of its own. */
export class KeptBody {
  readonly #bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Of an answer that says what it was asked for; undefined for others. */
  static of({ statusCode, rawBody }: Response): KeptBody | undefined {
    if (statusCode < 200 || statusCode > 299) return undefined;
    return new KeptBody(Buffer.from(rawBody));
  }

  read(form: BodyForm | 'answer', parseJson: (text: string) => unknown): unknown {
    if (form === 'buffer') return Buffer.from(this.#bytes);
    const text = this.#bytes.toString();
    if (form === 'json') return text === '' ? '' : parseJson(text);
    return form === 'text' ? text : degraded(text);
  }
}
