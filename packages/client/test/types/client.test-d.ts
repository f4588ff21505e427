import type { Buffer } from 'node:buffer';
import {
  type Client,
  type ClientPromise,
  type ClientStream,
  clients,
  type DegradedResponse,
} from '@spillway/client';
import { createSpillway } from '@spillway/core';
import type { Response } from 'got';

/** True when A and B are the same type. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles for `true` alone. */
declare function holds<T extends true>(): T;

interface Quote {
  readonly price: number;
}

// never called: compiling is the test
export async function clientsAreTyped(): Promise<void> {
  const spillway = createSpillway({
    dependencies: {
      quotes: { baseUrl: 'http://quotes', fallback: () => ({ price: null }) },
      orders: { baseUrl: 'http://orders' },
    },
  });
  const client = clients(spillway);
  // @ts-expect-error no dependency of that name
  client('qoutes');

  const quote = await client('quotes').get('v1').json<Quote>();
  holds<Equal<typeof quote, Quote | { price: null }>>();
  const order = await client('orders').get('v1').json<Quote>();
  holds<Equal<typeof order, Quote>>();
  const text = await client('quotes').get('v1').text();
  holds<Equal<typeof text, string>>();
  const bytes = await client('quotes').get('v1').buffer();
  holds<Equal<typeof bytes, Buffer>>();

  const bare = await client('orders').get('v1');
  holds<Equal<typeof bare, Response<string>>>();
  const degraded = await client('quotes').get('v1');
  holds<Equal<typeof degraded, Response<string> | DegradedResponse<{ price: null }>>>();
  if ('degraded' in degraded) holds<Equal<typeof degraded.body, { price: null }>>();
}

export async function fallbacksOfARequestAreTyped(client: Client): Promise<void> {
  const own = await client.post('v1', { fallback: () => 'stale' as const }).json<Quote>();
  holds<Equal<typeof own, Quote | 'stale'>>();
  const none = client.get('v1', { fallback: false });
  holds<Equal<typeof none, ClientPromise<never>>>();
  const extended = await client
    .extend({ fallback: async () => 3 as const })('v1')
    .json<string>();
  holds<Equal<typeof extended, string | 3>>();
  const stream = client.stream.get('v1');
  holds<Equal<typeof stream, ClientStream>>();
  // @ts-expect-error no fallback stands in for a stream
  client.stream('v1', { fallback: () => 1 });
  // @ts-expect-error nor for HEAD
  client.head('v1', { fallback: () => 1 });
}

export function optionsAreTyped(client: Client): void {
  client.get('v1', { deadline: '1s', searchParams: { a: 1 }, headers: { a: 'b' }, retry: { attempts: 2 } });
  client.put('v1', { body: () => 'text', idempotencyKey: true, signal: new AbortController().signal });
  // @ts-expect-error got's own timeout would be a second one
  client.get('v1', { timeout: { request: 1 } });
  // @ts-expect-error got's own retries would be a second loop
  client.get('v1', { retry: { limit: 2 } });
  // @ts-expect-error misspelt
  client.get('v1', { serchParams: {} });
  // @ts-expect-error an undefined is no value
  client.get('v1', { deadline: undefined });
  // @ts-expect-error no such unit
  client.get('v1', { deadline: '3 parsecs' });
  // @ts-expect-error a hook that could resend
  client.get('v1', { hooks: { afterResponse: [] } });
  // @ts-expect-error a body belongs to one request
  client.extend({ json: {} });
}
