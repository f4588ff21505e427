import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { InboundRequest } from '../../src/inbound/inbound-request.js';
import { createSpillway, type Spillway, type SpillwayEvent } from '../../src/index.js';
import { until } from './support/guarded-server.js';

const CANCEL = 8;

let spillway: Spillway<Record<string, unknown>>;
let events: SpillwayEvent[];
let requests: InboundRequest[];
let before: ((req: IncomingMessage) => unknown) | undefined;
let handler: (res: ServerResponse) => void;
let client: ClientHttp2Session;
const server = createServer((req, res) => {
  void onRequest(req as unknown as IncomingMessage, res as unknown as ServerResponse);
});

async function onRequest(req: IncomingMessage, res: ServerResponse): Promise<void> {
  await before?.(req);
  const request = spillway.inbound.enter(req, res);
  requests.push(request);
  if (request.decision === 'admitted') handler(res);
}

beforeEach(async () => {
  spillway = createSpillway({ service: 'test', inbound: { concurrency: 1 } });
  events = [];
  requests = [];
  before = undefined;
  handler = () => undefined;
  spillway.subscribe((event) => events.push(event));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => undefined);
});

afterEach(async () => {
  client.destroy();
  spillway.close();
  await new Promise((resolve) => server.close(resolve));
});

function ask(): ClientHttp2Stream {
  const stream = client.request({ ':path': '/' });
  stream.on('error', () => undefined);
  return stream;
}

const inFlight = () => spillway.snapshot().inbound.inFlight;
const ends = () => events.filter(({ type }) => type === 'inbound.end');

describe('a stream of HTTP/2', () => {
  it('that has been answered says so', async () => {
    handler = (res) => res.end('ok');
    ask().resume();
    expect(await until(() => ends().length === 1)).toBe(true);
    expect(ends()).toEqual([expect.objectContaining({ outcome: 'answered', status: 200 })]);
    expect(inFlight()).toBe(0);
  });

  it.each([
    ['is cancelled', (stream: ClientHttp2Stream) => stream.close(CANCEL)],
    ['loses its connection', () => client.destroy()],
  ])('that %s before its answer was aborted, and its work is cancelled', async (_how, leave) => {
    const stream = ask();
    expect(await until(() => inFlight() === 1)).toBe(true);
    leave(stream);
    expect(await until(() => ends().length === 1)).toBe(true);
    expect(ends()).toEqual([expect.objectContaining({ outcome: 'aborted', status: undefined })]);
    expect(requests[0]?.call.cancelled).toBe(true);
    expect(inFlight()).toBe(0);
  });

  it('that is cancelled while its answer is on its way was aborted', async () => {
    handler = (res) => res.end(Buffer.alloc(4_000_000));
    const stream = ask();
    await new Promise((resolve) => stream.once('response', resolve));
    stream.close(CANCEL);
    expect(await until(() => ends().length === 1)).toBe(true);
    expect(ends()).toEqual([expect.objectContaining({ outcome: 'aborted', status: 200 })]);
  });

  it('that was cancelled before it was taken in takes no place, and its work is cancelled', async () => {
    before = (req) => new Promise((resolve) => req.once('aborted', resolve));
    const stream = ask();
    await new Promise<void>((resolve) => server.once('stream', () => resolve()));
    stream.close(CANCEL);
    expect(await until(() => requests.length === 1)).toBe(true);
    expect(inFlight()).toBe(0);
    expect(requests[0]?.call.reason).toMatchObject({ code: 'ERR_CANCELLED' });
  });
});
