import { itCreatesNoHook } from '@spillway/testing/conformance';

itCreatesNoHook(async () => {
  const { fastifyAdapter } = await import('./support/adapter.js');
  return fastifyAdapter;
});
