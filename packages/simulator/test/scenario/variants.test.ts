import { describe, expect, test } from '@jest/globals';
import { merged, withValue, writtenVariants } from '../../src/scenario/variants.js';

const scenario = {
  duration: '1s',
  services: { shop: { latency: 5, spillway: { dependencies: { quotes: { retry: { attempts: 2 } } } } } },
};

describe('variants', () => {
  test('merge objects key by key and replace everything else, without changing the scenario', () => {
    const before = JSON.stringify(scenario);
    expect(merged({ a: { b: 1, c: [1, 2] }, d: 1 }, { a: { c: [3] }, d: false })).toEqual({
      a: { b: 1, c: [3] },
      d: false,
    });
    const patch = { services: { shop: { latency: 7 } } };
    expect(merged(scenario, patch)['services']).toEqual({ shop: { ...scenario.services.shop, latency: 7 } });
    expect(JSON.stringify(scenario)).toBe(before);
  });

  test('cross with every value of every variation, by name', () => {
    const variants = writtenVariants({ ...scenario, variants: { a: {}, b: { duration: '2s' } } }, [
      { path: 'shop.latency', values: [1, 2] },
      { path: 'seed', values: [9] },
    ]);
    expect([...variants.keys()]).toEqual([
      'a shop.latency=1 seed=9',
      'a shop.latency=2 seed=9',
      'b shop.latency=1 seed=9',
      'b shop.latency=2 seed=9',
    ]);
    expect(variants.get('b shop.latency=2 seed=9')).toMatchObject({
      duration: '2s',
      seed: 9,
      services: { shop: { latency: 2 } },
    });
  });

  test('take paths from the scenario, a service, or a dependency of a service', () => {
    expect(withValue(scenario, 'duration', 5)['duration']).toBe(5);
    expect(withValue(scenario, 'services.shop.latency', 6)).toMatchObject({
      services: { shop: { latency: 6 } },
    });
    expect(withValue(scenario, 'shop.quotes.retry.attempts', 3)).toMatchObject({
      services: { shop: { spillway: { dependencies: { quotes: { retry: { attempts: 3 } } } } } },
    });
    expect(() => withValue(scenario, 'shoop.latency', 3)).toThrow(/vary is 'shoop.latency'.*shop/);
  });
});
