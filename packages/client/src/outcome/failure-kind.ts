import { kindOfStatus, type OutcomeKind } from '@spillway/core';

/** What an attempt's connection knows about its end. */
export interface ConnectionFacts {
  /** Node was given a request to send. */
  readonly opened: boolean;
  /** A connection stood, so that bytes may have gone out. */
  readonly connected: boolean;
  /** Status of the answer, once its headers are in. */
  readonly status: number | undefined;
  /** The whole answer arrived. */
  readonly complete: boolean;
  readonly hasRetryAfter: boolean;
  /** A keep-alive connection of an earlier request, on which no byte of this answer came. */
  readonly reusedInSilence: boolean;
  /** The request may be repeated, its body too, and this is not the repetition of it. */
  readonly resendable: boolean;
  readonly keyed: boolean;
}

interface ErrorLike {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** Codes of OpenSSL and Node for a certificate that is not accepted (Node docs: X509 certificate error codes). */
const CERTIFICATE: ReadonlySet<unknown> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CRL_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
  'ERR_TLS_CERT_ALTNAME_FORMAT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Codes of a connection that never stood. A transport that stands in for the network uses them too. */
const UNSENT: ReadonlySet<unknown> = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);

const RESET: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/** Codes of zlib and Brotli for bytes that are no compressed data. */
const BROKEN_ENCODING = /^(?:Z_DATA_ERROR|ERR__ERROR_FORMAT)/;

/** The row of the outcome table for an attempt that ended with an error. */
export function kindOfFailure(error: unknown, facts: ConnectionFacts): OutcomeKind {
  const { name, code } = (typeof error === 'object' && error !== null ? error : {}) as ErrorLike;
  if (name === 'HTTPError' && facts.status !== undefined) {
    return kindOfStatus(facts.status, facts.keyed, facts.hasRetryAfter);
  }
  if (name === 'ParseError') return 'unparsable';
  // an answer like any other that its reader did not want
  if (name === 'MaxRedirectsError') return 'answer';
  if (!facts.opened || name === 'UploadError' || isProgrammersError(error)) return 'misuse';
  if (facts.status !== undefined) {
    return facts.complete || BROKEN_ENCODING.test(String(code)) ? 'unparsable' : 'truncated';
  }
  if (CERTIFICATE.has(code)) return 'certificate';
  if (!facts.connected || UNSENT.has(code)) return 'unsent';
  return RESET.has(code) && facts.reusedInSilence && facts.resendable ? 'stale' : 'reset';
}

/** A TypeError of a transport's own; with a `cause` it is fetch's way of telling a failed connection. */
function isProgrammersError(error: unknown): boolean {
  const cause = (error as ErrorLike | null)?.cause;
  if (typeof cause !== 'object' || cause === null) return false;
  const { name, code, cause: deeper } = cause as ErrorLike;
  return (name === 'TypeError' || name === 'ReferenceError') && code === undefined && deeper === undefined;
}
