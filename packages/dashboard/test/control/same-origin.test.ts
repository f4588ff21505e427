import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { isSameOrigin } from '../../src/control/same-origin.js';

test.each<[string, Record<string, string>, boolean]>([
  ['Sec-Fetch-Site says so', { 'sec-fetch-site': 'same-origin' }, true],
  [
    'a proxy has rewritten Host',
    { 'sec-fetch-site': 'same-origin', origin: 'https://a.example', host: 'in:1' },
    true,
  ],
  ['another site', { 'sec-fetch-site': 'cross-site', host: 'a.example' }, false],
  ['another origin of the same site', { 'sec-fetch-site': 'same-site', host: 'a.example' }, false],
  ['typed into the address bar', { 'sec-fetch-site': 'none', host: 'a.example' }, false],
  [
    'what Sec-Fetch-Site says counts',
    { 'sec-fetch-site': 'cross-site', origin: 'http://a', host: 'a' },
    false,
  ],
  ['Origin is Host', { origin: 'http://a.example:8080', host: 'A.example:8080' }, true],
  ['another port', { origin: 'http://a.example:8081', host: 'a.example:8080' }, false],
  ['another host', { origin: 'http://b.example', host: 'a.example' }, false],
  ['an opaque origin', { origin: 'null', host: 'a.example' }, false],
  ['no Host', { origin: 'http://a.example' }, false],
  ['nothing that says so', { host: 'a.example' }, false],
])('%s', (_, headers, expected) => {
  expect(isSameOrigin({ headers } as unknown as IncomingMessage)).toBe(expected);
});
