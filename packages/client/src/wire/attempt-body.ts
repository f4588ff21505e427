import type { Attempt } from '@spillway/core';

/** Makes the body of one attempt; one that comes too late for it is released at once. */
export async function attemptBody(make: () => unknown, attempt: Attempt): Promise<unknown> {
  const body = await make();
  if (attempt.cancelled) destroy(body);
  return body;
}

function destroy(body: unknown): void {
  const { destroy } = (body ?? {}) as { destroy?: unknown };
  if (typeof destroy === 'function') destroy.call(body);
}
