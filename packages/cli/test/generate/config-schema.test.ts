import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { configSchema, type JsonSchema } from '../../src/generate/config-schema.js';

type Node = Record<string, unknown>;

/** The part of JSON Schema that the schema uses. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  const { anyOf, type, properties, additionalProperties, items, pattern, required } = schema as Node;
  if (Array.isArray(anyOf)) return anyOf.some((one) => accepts(one, value));
  if ('const' in schema) return value === schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value);
  if (type === 'array')
    return Array.isArray(value) && value.every((one) => accepts(items as JsonSchema, one));
  if (type === 'object') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    if (Array.isArray(required) && !required.every((key) => key in value)) return false;
    return Object.entries(value).every(([key, part]) => {
      const own = (properties as Node | undefined)?.[key] ?? additionalProperties ?? true;
      return own === true || (own !== false && accepts(own as JsonSchema, part));
    });
  }
  if (type === 'string')
    return typeof value === 'string' && (pattern === undefined || new RegExp(String(pattern)).test(value));
  if (type === 'integer' && !Number.isInteger(value)) return false;
  if (type === 'boolean') return typeof value === 'boolean';
  return (
    typeof value === 'number' &&
    value >= Number(schema['minimum'] ?? value) &&
    value <= Number(schema['maximum'] ?? value) &&
    value > Number(schema['exclusiveMinimum'] ?? -1)
  );
}

const schema = configSchema();

describe('the JSON schema of configuration files', () => {
  test('is the one that is published', () => {
    const file = fileURLToPath(new URL('../../schema.json', import.meta.url));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema);
  });

  test('accepts every form that an option may have', () => {
    expect(
      accepts(schema, {
        $schema: './schema.json',
        service: 'shop',
        inbound: {
          deadline: { default: '30s', headers: [{ header: 'x-left', unit: 'ms' }] },
          concurrency: { limit: { kind: 'aimd', initial: 5 }, queue: { size: 3 } },
          trust: ['10.0.0.0/8'],
        },
        defaults: { attempt: { timeout: 400 } },
        dependencies: {
          quotes: {
            baseUrl: 'http://quotes.internal',
            deadline: false,
            retry: {
              attempts: 3,
              backoff: { base: '100ms', jitter: 'full' },
              budget: { ratio: 0.2, concurrent: false },
            },
            breaker: {
              window: { calls: 50 },
              probes: { count: 3, rate: 0.5 },
              slow: { over: '1s' },
              whenOpen: { wait: '1s' },
            },
            bulkhead: false,
          },
          news: { retry: false, breaker: { window: '30s', probes: 3, slow: false, whenOpen: 'refuse' } },
        },
        check: { ignore: [{ id: 'SW101', reason: 'measured' }] },
      }),
    ).toBe(true);
    expect(accepts(schema, { inbound: { concurrency: 100 } })).toBe(true);
    expect(accepts(schema, { inbound: { concurrency: { limit: 10 } } })).toBe(true);
  });

  test.each([
    ['a misspelt option', { dependencies: { a: { brekaer: false } } }],
    ['a number out of range', { dependencies: { a: { retry: { attempts: 0 } } } }],
    ['a share of 0', { dependencies: { a: { breaker: { failureRate: 0 } } } }],
    ['a wrong unit', { dependencies: { a: { deadline: '3 parsecs' } } }],
    ['a wrong choice', { dependencies: { a: { retry: { owner: 'me' } } } }],
    ['a default of what is no default', { defaults: { baseUrl: 'http://x' } }],
    ['true where only false is meant', { dependencies: { a: { retry: true } } }],
  ])('refuses %s', (_, config) => {
    expect(accepts(schema, config)).toBe(false);
  });
});
