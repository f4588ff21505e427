import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dashboardQueries } from '../support/contrib.js';
import { PROMTOOL, type PrometheusServer, startPrometheus } from './prometheus-server.js';
import { openShop, type Shop } from './shop.js';

/** Variables of the dashboard as it opens, over a window that holds the whole outage. */
function filledIn(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:spillway|dependency)/g, '.*');
}

/** Has a scrape met the breaker of `quotes` open? It opens and closes faster than Prometheus looks. */
async function hasSeenItOpen(server: PrometheusServer): Promise<boolean> {
  const seen = await server.query(OPENED);
  return seen.some(({ value }) => value[1] === '1');
}

const OPENED = 'sum(max_over_time(spillway_breaker_state{dependency="quotes", state="open"}[5m]))';

/** Nobody visits any more: once the attempts in Prometheus are those of the registry, it has seen everything. */
async function lastScrape(server: PrometheusServer, shop: Shop): Promise<void> {
  const text = await shop.registry.metrics();
  const there = [...text.matchAll(/^spillway_attempts_total\{.*} (\d+)$/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
  for (let tries = 0; tries < 300; tries++) {
    const [seen] = await server.query('sum(spillway_attempts_total)');
    if (Number(seen?.value[1]) === there) return;
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  throw new Error('Prometheus has not seen the last of it after 30 s');
}

describe('a storefront in an outage, scraped by a real Prometheus', () => {
  let shop: Shop;
  let server: PrometheusServer;

  beforeAll(async () => {
    shop = await openShop();
    server = await startPrometheus(shop.port);
    await shop.visit(3000);
    await shop.upstream.down(503);
    await shop.visit(4000, () => hasSeenItOpen(server));
    await shop.upstream.up();
    await shop.visit(4000, () => shop.state() === 'closed');
    await lastScrape(server, shop);
  }, 180_000);

  afterAll(async () => {
    await server?.stop();
    await shop?.close();
  });

  test('is read without an error', async () => {
    expect((await server.query('up{job="storefront"}')).map(({ value }) => value[1])).toEqual(['1']);
    const { data } = (await server.get('/api/v1/targets')) as {
      data: { activeTargets: { lastError: string }[] };
    };
    expect(data.activeTargets.map(({ lastError }) => lastError)).toEqual(['']);
  });

  test('gives every query of the Grafana dashboard data', async () => {
    const empty: string[] = [];
    for (const { where, expr } of dashboardQueries()) {
      const answers = await server.query(filledIn(expr));
      if (!answers.some(({ value }) => value[1] !== 'NaN')) empty.push(`${where}: ${expr}`);
    }
    expect(empty).toEqual([]);
  });

  test('shows the outage: the breaker opened and closed, and refusals took the place of attempts', async () => {
    const opened = await server.query(OPENED);
    expect(opened.map(({ value }) => value[1])).toEqual(['1']);
    const now = await server.query('sum(spillway_breaker_state{dependency="quotes", state="closed"})');
    expect(now.map(({ value }) => value[1])).toEqual(['1']);
    const refused = await server.query('sum(spillway_breaker_refused_total{dependency="quotes"}) > 10');
    expect(refused).toHaveLength(1);
    const none = await server.query('spillway_operation_attempts_bucket{dependency="quotes", le="0"} > 10');
    expect(none).toHaveLength(1);
  });

  test('counts what its dependency saw', async () => {
    const sent = await server.query(
      'sum(spillway_attempts_total{dependency=~"quotes|stock", sent!="no"}) + sum(spillway_attempt_resends_total{dependency=~"quotes|stock"})',
    );
    expect(sent.map(({ value }) => Number(value[1]))).toEqual([shop.upstream.count()]);
  });

  test('loads the alerts', async () => {
    const { data } = (await server.get('/api/v1/rules')) as {
      data: { groups: { rules: { name: string; health: string }[] }[] };
    };
    const rules = data.groups.flatMap((group) => group.rules);
    expect(rules).toHaveLength(8);
    expect(rules.filter(({ health }) => health === 'err')).toEqual([]);
  });

  test('names its metrics as promtool wants them', async () => {
    const input = await shop.registry.metrics();
    expect(execFileSync(PROMTOOL, ['check', 'metrics'], { input, encoding: 'utf8' })).toBe('');
  });
});
