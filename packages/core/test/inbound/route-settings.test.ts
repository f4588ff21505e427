import { describe, expect, it } from '@jest/globals';
import { routeSettings } from '../../src/index.js';

describe('the settings of a route', () => {
  it('are its options in ms, with nothing set that was not', () => {
    expect(routeSettings({})).toEqual({
      deadlineMs: undefined,
      priority: undefined,
      exempt: false,
      mode: undefined,
      onDisconnect: undefined,
      covers: undefined,
    });
    expect(
      routeSettings({ deadline: '1.5s', priority: 'sheddable', exempt: true, covers: 'response' }),
    ).toMatchObject({
      deadlineMs: 1500,
      priority: 'sheddable',
      exempt: true,
      covers: 'response',
    });
  });

  it.each([
    [{ deadline: -1 }, 'route.deadline'],
    [{ deadline: '5' }, 'route.deadline'],
    [{ priority: 1 }, 'route.priority'],
    [{ wait: '1s' }, 'route.wait'],
  ])('%j is refused by path, value and range', (options, path) => {
    expect(() => routeSettings(options as never)).toThrow(
      expect.objectContaining({
        code: 'ERR_CONFIG',
        details: { issues: [expect.objectContaining({ path })] },
      }),
    );
  });
});
