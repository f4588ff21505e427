import { describe, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { openTelemetry } from '../../src/opentelemetry/index.js';

describe('options that are refused', () => {
  test.each<[string, unknown, string]>([
    ['a tracer that traces nothing', { tracer: {} }, 'tracer: it has no startSpan()'],
    ['a tracer that is none', { tracer: true }, 'tracer: true has no startSpan()'],
    ['a meter that measures nothing', { meter: {} }, 'meter: it has no createHistogram()'],
    ['a word for url', { url: 'no' }, "url: 'no' is neither true nor false"],
    ['an option that is none', { urls: true }, 'urls is no option; there are tracer, meter, url'],
    ['no object', null, 'null is no object'],
  ])('%s', (_name, options, message) => {
    expect(() => openTelemetry(createSpillway({}), options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(message) }),
    );
  });
});
