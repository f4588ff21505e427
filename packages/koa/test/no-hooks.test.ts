import { itCreatesNoHook } from '@spillway/testing/conformance';

itCreatesNoHook(async () => {
  const { default: Koa } = await import('koa');
  const { koaAdapter } = await import('./support/adapter.js');
  return koaAdapter('Koa', Koa);
});
