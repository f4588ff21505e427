import { describe, expect, test } from '@jest/globals';
import { endOf, errorOf, type Scene, scene } from '../support/scene.js';

describe('answers by status', () => {
  const shown = (set: Scene) => [set.server.count(), endOf(set)];

  test.each([
    [200, 'answer', 'success', 1],
    [204, 'answer', 'success', 1],
    [304, 'answer', 'success', 1],
  ])('%i is handed on', async (status, kind, result, hits) => {
    const set = await scene(status);
    expect((await set.client.get('a')).statusCode).toBe(status);
    expect(shown(set)).toEqual([hits, expect.objectContaining({ kind, result, status })]);
  });

  test.each([400, 401, 403, 404, 409, 410, 422])(
    "%i is got's own HTTPError, after one attempt",
    async (status) => {
      const set = await scene(status);
      expect(await errorOf(set.client.get('a'))).toMatchObject({
        name: 'HTTPError',
        response: { statusCode: status },
      });
      expect(shown(set)).toEqual([1, expect.objectContaining({ kind: 'answer', result: 'success', status })]);
    },
  );

  test.each([
    [408, 'ignored', 502],
    [425, 'ignored', 502],
    [429, 'ignored', 503],
    [500, 'failure', 502],
    [502, 'failure', 502],
    [503, 'failure', 503],
    [504, 'failure', 504],
  ])('%i is retried, then ERR_UPSTREAM', async (status, result, ours) => {
    const set = await scene(status);
    const error = await errorOf(set.client.get('a'));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: ours,
      stopped: 'attempts',
      attempts: 3,
      sent: 'answered',
    });
    expect(error.cause).toMatchObject({ name: 'HTTPError', response: { statusCode: status } });
    expect(shown(set)).toEqual([3, expect.objectContaining({ result, status })]);
  });

  test.each([501, 505, 507, 521])('%i is a failure that is not retried', async (status) => {
    const set = await scene(status);
    expect(await errorOf(set.client.get('a'))).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 502,
      attempts: 1,
    });
    expect(shown(set)).toEqual([1, expect.objectContaining({ kind: 'server-fault', result: 'failure' })]);
  });

  test('a POST that was answered 503 is not repeated unless it may be', async () => {
    const set = await scene(503);
    expect(await errorOf(set.client.post('a'))).toMatchObject({ stopped: 'not-idempotent', attempts: 1 });
    expect(await errorOf(set.client.post('a', { idempotent: true }))).toMatchObject({ attempts: 3 });
    expect(await errorOf(set.client.get('a', { idempotent: false }))).toMatchObject({ attempts: 1 });
  });

  test('`unwrap` rejects with the cause itself', async () => {
    const set = await scene(503);
    expect(await errorOf(set.client.get('a', { unwrap: true }))).toMatchObject({ name: 'HTTPError' });
  });
});
