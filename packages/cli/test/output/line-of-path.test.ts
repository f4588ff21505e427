import { expect, test } from '@jest/globals';
import { lineOfPath } from '../../src/output/line-of-path.js';

const text = `export default {
  defaults: { attempt: { timeout: '1s' } },
  dependencies: {
    'my-quotes': {
      retry: {
        attempts: 4,
      },
    },
    news: { retry: false },
  },
};
`;

test.each([
  ['dependencies.my-quotes.retry.attempts', 6],
  ['dependencies.my-quotes', 4],
  ['dependencies.news.retry', 9],
  ['dependencies["my-quotes"].retry.attempts', 6],
  ['dependencies.news.deadline', 9],
  ['somewhere.else', 1],
])('the option %s stands on line %d', (path, line) => {
  expect(lineOfPath(text, path)).toBe(line);
});
