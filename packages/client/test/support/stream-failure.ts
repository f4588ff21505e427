import { text } from 'node:stream/consumers';
import type { ClientStream } from '@spillway/client';
import { errorOf, type Thrown } from './scene.js';

/** The error that a stream ends with. */
export async function failureOf(stream: ClientStream): Promise<Thrown> {
  return errorOf(text(stream));
}
