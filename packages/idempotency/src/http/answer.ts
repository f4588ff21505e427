import { isUtf8 } from 'node:buffer';

/** Header lines in their order; a name that came on several lines has an array. */
export type HeaderList = readonly (readonly [name: string, value: string | readonly string[]])[];

/** An HTTP answer as it is kept. */
export interface StoredAnswer {
  readonly status: number;
  readonly message: string | undefined;
  readonly headers: HeaderList;
  readonly body: Uint8Array;
}

interface Encoded {
  readonly s: number;
  readonly m?: string;
  readonly h: HeaderList;
  /** The body as text when it is UTF-8, else `x` has it in base64. */
  readonly b?: string;
  readonly x?: string;
}

/** As text: JSON, readable in the store when the body is. */
export function encodeAnswer(answer: StoredAnswer): string {
  const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength);
  const text = isUtf8(body);
  const encoded: Encoded = {
    s: answer.status,
    ...(answer.message === undefined ? {} : { m: answer.message }),
    h: answer.headers,
    ...(text ? { b: body.toString('utf8') } : { x: body.toString('base64') }),
  };
  return JSON.stringify(encoded);
}

export function decodeAnswer(text: string): StoredAnswer {
  const { s, m, h, b, x } = JSON.parse(text) as Encoded;
  const body = x === undefined ? Buffer.from(b ?? '', 'utf8') : Buffer.from(x, 'base64');
  return { status: s, message: m, headers: h, body };
}

/** Does it say of what type its body is? */
export function namesType(headers: HeaderList): boolean {
  return headers.some(([name]) => name.toLowerCase() === 'content-type');
}
