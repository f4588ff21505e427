import { createHash, type Hash } from 'node:crypto';
import { Transform } from 'node:stream';

/**
 * What the raw bytes of a request body come to in a fingerprint: a hash over the first `limit` of them. The declared
 * length goes into the fingerprint apart, so a huge body costs no more than its head.
 */
export class BodyDigest {
  readonly #hash: Hash = createHash('sha256');
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True once further bytes change nothing. */
  get full(): boolean {
    return this.#taken >= this.#limit;
  }

  add(bytes: Uint8Array): void {
    const part = bytes.subarray(0, this.#limit - this.#taken);
    this.#taken += part.byteLength;
    if (part.byteLength > 0) this.#hash.update(part);
  }

  /** Of the bytes so far; more may follow. */
  value(): string {
    return this.#hash.copy().digest('base64url');
  }
}

/** Passes a body on and digests it on its way: for frameworks that let a plugin stand before their parser. */
export class DigestingStream extends Transform {
  readonly digest: BodyDigest;
  /** Bytes passed so far; Fastify holds its body limit against it. */
  receivedEncodedLength = 0;
  /** All of the body has passed. */
  complete = false;

  constructor(limit: number) {
    super();
    this.digest = new BodyDigest(limit);
  }

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error: null, chunk: Buffer) => void,
  ): void {
    this.receivedEncodedLength += chunk.byteLength;
    this.digest.add(chunk);
    done(null, chunk);
  }

  override _flush(done: (error: null) => void): void {
    this.complete = true;
    done(null);
  }
}
