import { expect, it } from '@jest/globals';
import type { Exchange, ServerAdapter } from './adapter.js';
import { createdHooks, createHookToCount } from './created-hooks.js';
import { get, Scene } from './scene.js';

/**
 * Neither to load nor to serve does an adapter create an async hook. For a test file of its own: `load` imports the
 * adapter and its framework, which nothing has imported before.
 * @example itCreatesNoHook(async () => (await import('./support/adapter.js')).fastifyAdapter);
 */
export function itCreatesNoHook(load: () => Promise<ServerAdapter>): void {
  it('creates no async hook, neither to load nor to serve', async () => {
    const adapter = await load();
    const scene = new Scene(adapter, 'sockets', true);
    const handler = async ({ spillway, answer }: Exchange) => {
      await spillway.dependency('one').call(() => 1);
      answer(200, { ok: true });
    };
    await scene.start([get('/', handler)], { dependencies: { one: {} } });
    const { status } = await scene.ask();
    await scene.close();
    expect(status).toBe(200);
    expect(createdHooks()).toBe(0);
    createHookToCount();
    expect(createdHooks()).toBe(1);
  }, 60_000);
}
