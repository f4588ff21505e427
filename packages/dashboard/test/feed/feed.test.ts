import { describe, expect, test } from '@jest/globals';
import { createSpillway, VirtualClock } from '@spillway/core';
import { Feed } from '../../src/feed/feed.js';
import { type DashboardOptions, dashboard } from '../../src/index.js';
import type { SnapshotMessage, TickMessage } from '../../src/messages.js';
import { Aggregator } from '../../src/state/aggregator.js';
import { rig } from '../support/rig.js';
import { ask, eventually, readFeed, serve } from '../support/site.js';

async function site(options: DashboardOptions = {}) {
  const clock = new VirtualClock();
  const spillway = createSpillway({ service: 'shop', dependencies: { quotes: {} } }, { clock });
  const page = dashboard(spillway, options);
  const port = await serve(page);
  const call = () => spillway.dependency('quotes').call(() => 'fine');
  return { clock, spillway, page, port, call };
}

describe('the feed', () => {
  test('begins with a snapshot and goes on with ticks', async () => {
    const { clock, port, call } = await site();
    const reader = await readFeed(port);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    await reader.until(1);
    await call();
    await clock.advance(1000);
    await reader.until(2);
    expect(reader.events.map(({ event }) => event)).toEqual(['snapshot', 'tick']);
    const [snapshot, tick] = reader.events.map(({ data }) => JSON.parse(data)) as [
      SnapshotMessage,
      TickMessage,
    ];
    expect(snapshot.instance).toMatchObject({ service: 'shop', pid: process.pid });
    expect(snapshot.dependencies['quotes']?.row.operations).toBe(0);
    expect(tick.rows['quotes']?.operations).toBe(1);
  });

  test('sends every viewer the same bytes', async () => {
    const { clock, port, page } = await site();
    const readers = await Promise.all([readFeed(port), readFeed(port), readFeed(port)]);
    await Promise.all(readers.map((reader) => reader.until(1)));
    expect(page.viewers).toBe(3);
    await clock.advance(1000);
    await Promise.all(readers.map((reader) => reader.until(2)));
    expect(new Set(readers.map(({ events }) => JSON.stringify(events))).size).toBe(1);
  });

  test('listens to events while somebody watches, and no longer', async () => {
    const { port, page, spillway } = await site();
    expect(spillway.events.enabled).toBe(false);
    const readers = await Promise.all([readFeed(port), readFeed(port)]);
    expect(spillway.events.enabled).toBe(true);
    readers[0]?.leave();
    await eventually(() => page.viewers === 1);
    expect(spillway.events.enabled).toBe(true);
    readers[1]?.leave();
    await eventually(() => page.viewers === 0);
    expect(spillway.events.enabled).toBe(false);
  });

  test('refuses more viewers than it was told', async () => {
    const { port, page } = await site({ viewers: 1 });
    const reader = await readFeed(port);
    const refused = await ask(port, '/events');
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(JSON.parse(refused.body)).toMatchObject({ detail: '1 pages are open already' });
    reader.leave();
    await eventually(() => page.viewers === 0);
    expect((await readFeed(port)).status).toBe(200);
  });

  test.each(['the dashboard', 'the spillway'])(
    'ends when %s is closed, and leaves no timer',
    async (which) => {
      const { clock, port, page, spillway } = await site();
      const reader = await readFeed(port);
      await reader.until(1);
      if (which === 'the dashboard') page.close();
      else spillway.close();
      await reader.ended;
      expect(page.viewers).toBe(0);
      expect(clock.pending).toBe(0);
      expect(await ask(port, '/events')).toMatchObject({ status: 503 });
      page.close();
    },
  );

  test('answers HEAD without opening anything', async () => {
    const { port, page } = await site();
    expect(await ask(port, '/events', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(page.viewers).toBe(0);
  });
});

describe('a reader that does not keep up', () => {
  /** Ticks of a megabyte: a few are more than the buffers of a connection hold. */
  async function busySite() {
    const { clock, spillway } = rig();
    const aggregator = new Aggregator(spillway, 1000, 60_000);
    const feed = new Feed(aggregator, 10);
    const port = await serve((req, res) => feed.join(req, res));
    const ticks = async (count: number) => {
      for (let tick = 0; tick < count; tick++) {
        for (let line = 0; line < 50; line++) {
          aggregator.note({ dependency: 'quotes', kind: 'control', text: 'x'.repeat(20_000) });
        }
        await clock.advance(1000);
      }
    };
    return { feed, port, ticks };
  }

  async function noMoreComesTo(reader: { readonly events: readonly unknown[] }): Promise<void> {
    for (let before = -1; before < reader.events.length; ) {
      before = reader.events.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  test('misses ticks, and gets all of it anew once it reads again', async () => {
    const { feed, port, ticks } = await busySite();
    const reader = await readFeed(port);
    await reader.until(1);
    reader.pause();
    await ticks(25);
    expect(feed.viewers).toBe(1);
    reader.resume();
    // five ticks more, and it would be cut off: each waits until all that was held back has come
    const snapshots = () => reader.events.filter(({ event }) => event === 'snapshot').length;
    for (let more = 0; more < 5 && snapshots() < 2; more++) {
      await noMoreComesTo(reader);
      await ticks(1);
      await noMoreComesTo(reader);
    }
    expect(snapshots()).toBe(2);
    expect(reader.events.length).toBeLessThan(40);
    reader.leave();
  });

  test('at all is cut off', async () => {
    const { feed, port, ticks } = await busySite();
    const reader = await readFeed(port);
    await reader.until(1);
    reader.pause();
    await ticks(60);
    await eventually(() => feed.viewers === 0);
    expect(feed.viewers).toBe(0);
    reader.leave();
  });
});
