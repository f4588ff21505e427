/** Is this body a stream of node's or the web's, or a Blob or Response that becomes one? */
export function isStream(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { pipe, getReader, arrayBuffer } = body as Record<string, unknown>;
  return [pipe, getReader, arrayBuffer].some((method) => typeof method === 'function');
}
