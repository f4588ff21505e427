import http from 'node:http';
import https from 'node:https';

/** What got sets of Node's options for a request without TLS, besides method, headers and agent. */
const PLAIN = ['lookup', 'family', 'localAddress', 'maxHeaderSize'] as const;

/**
 * Node's own request on an agent, `false` for a connection of its own. It is given the options that were set: got hands
 * over some thirty, TLS and all, most of them undefined, and Node copies them three times on the way to a socket, which
 * costs more than everything else that is done for an attempt.
 */
export function requestOn(
  agent: http.Agent | false,
  url: URL,
  options: https.RequestOptions,
): http.ClientRequest {
  if (url.protocol === 'https:') return https.request(url, { ...defined(options), agent });
  const { method, headers, setHost } = options;
  const native: Record<string, unknown> = { method, headers, agent };
  if (setHost === false) native['setHost'] = false;
  for (const name of PLAIN) if (options[name] !== undefined) native[name] = options[name];
  return http.request(url, native);
}

function defined(options: https.RequestOptions): https.RequestOptions {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}
