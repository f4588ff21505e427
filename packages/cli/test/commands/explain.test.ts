import { afterAll, describe, expect, test } from '@jest/globals';
import { Folder, spillway } from '../harness.js';

const folder = new Folder();
afterAll(() => folder.remove());

const config = folder.write('config.json', {
  dependencies: {
    quotes: {
      baseUrl: 'http://quotes.internal',
      deadline: '2s',
      attempt: { timeout: '400ms' },
      retry: { attempts: 3 },
      breaker: { slow: { over: '300ms' } },
    },
    news: { retry: false, breaker: false, deadline: false },
  },
});

describe('spillway explain', () => {
  test('prints the layers of each dependency in order, with their numbers', async () => {
    const { code, out } = await spillway(['explain', config]);
    expect(code).toBe(0);
    const [quotes = '', news = ''] = out.split(/\n(?=news)/);
    const order = [...quotes.matchAll(/^ {2}\d\. (\w+)/gm)].map(([, name]) => name);
    expect(order).toEqual(['fallback', 'deadline', 'retry', 'bulkhead', 'breaker', 'attempt']);
    expect(quotes).toContain('http://quotes.internal/');
    expect(quotes).toMatch(/2\. deadline +deadline 2 s/);
    expect(quotes).toMatch(/6\. attempt +timeout 400 ms/);
    expect(quotes.replace(/\s+/g, ' ')).toContain('slow (over 300 ms · rate 0.5)');
    expect(news).toMatch(/3\. retry +off/);
    expect(news).toMatch(/2\. deadline +off/);
  });

  test('draws the call and its breaker as state diagrams', async () => {
    const { out } = await spillway(['explain', config, '--mermaid', '--dependency', 'quotes']);
    expect(out.match(/stateDiagram-v2/g)).toHaveLength(2);
    for (const state of [
      'idle',
      'attempting',
      'retrying',
      'succeeded',
      'failed',
      'closed',
      'open',
      'halfOpen',
    ]) {
      expect(out).toMatch(new RegExp(`\\b${state} --> |--> ${state}\\b`));
    }
    expect(out).toContain('50 % slower than 300 ms');
    expect(out).toContain('attempting --> retrying');
  });

  test('prints one dependency as JSON', async () => {
    const { out } = await spillway(['explain', config, '--json', '--dependency', 'news']);
    const [news, ...others] = JSON.parse(out);
    expect(others).toEqual([]);
    expect(news.dependency).toBe('news');
    expect(news.layers.find(({ kind }: { kind: string }) => kind === 'retry').active).toBe(false);
    expect(news.diagrams.breaker).toBeUndefined();
  });

  test('knows no other dependency', async () => {
    const { code, err } = await spillway(['explain', config, '--dependency', 'nwes']);
    expect([code, err]).toEqual([2, "--dependency is 'nwes'. Give one of quotes, news\n"]);
  });
});
