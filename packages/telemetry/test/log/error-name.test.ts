import { describe, expect, test } from '@jest/globals';
import type { LogOptions } from '@spillway/telemetry/log';
import { logged } from './logged.js';

describe('the error of a store or an observer', () => {
  const shown = (options: Partial<LogOptions>, error: string) => {
    const { spillway, of } = logged({}, options);
    const broken = { operation: 'begin', timeout: false, error } as const;
    spillway.events.emit({ type: 'idempotency.store-error', at: 0, key: '0123456789abcdef', ...broken });
    spillway.subscribe(() => {
      throw error;
    });
    spillway.events.emit({ type: 'idempotency.lost', at: 0, key: '0123456789abcdef' });
    return [of('idempotency.store-error'), of('observer.failed')].map(([line]) => line?.['error']);
  };

  test.each([
    ['Error: connect ECONNREFUSED 10.0.0.7:6379 for hunter2', 'Error ECONNREFUSED'],
    ['TypeError: hunter2 is undefined', 'TypeError'],
    ['ReplyError: WRONGTYPE hunter2', 'ReplyError'],
    ['Error', 'Error'],
    ['hunter2', 'unknown'],
    ['hunter2Error: EPIPEX', 'unknown'],
  ])('%s is shown as %s', (text, name) => {
    expect(shown({}, text)).toEqual([name, name]);
  });

  test('is shown whole when asked for', () => {
    expect(shown({ errorText: true }, 'Error: hunter2')).toEqual(['Error: hunter2', 'Error: hunter2']);
  });
});
