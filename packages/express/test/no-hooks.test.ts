import { itCreatesNoHook } from '@spillway/testing/conformance';

itCreatesNoHook(async () => {
  const { default: express } = await import('express');
  const { expressAdapter } = await import('./support/adapter.js');
  return expressAdapter('Express', express);
});
