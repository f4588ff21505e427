import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** The page runs its own scripts and styles, speaks to its own server, and to nobody else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const SECURITY: OutgoingHttpHeaders = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export function answer(
  res: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Buffer,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  res.writeHead(status, { ...SECURITY, ...headers, 'Content-Length': bytes.length });
  res.end(res.req.method === 'HEAD' ? undefined : bytes);
}

export function answerJson(
  res: ServerResponse,
  status: number,
  body: object,
  headers: OutgoingHttpHeaders = {},
): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  answer(
    res,
    status,
    { ...headers, 'Content-Type': type, 'Cache-Control': 'no-store' },
    JSON.stringify(body),
  );
}

/** Problem details (RFC 9457). */
export function refuse(
  res: ServerResponse,
  status: number,
  detail: string,
  headers: OutgoingHttpHeaders = {},
): void {
  answerJson(res, status, { status, title: TITLES[status] ?? 'Refused', detail }, headers);
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
