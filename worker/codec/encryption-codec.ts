/**
 * Encrypts each payload on its way to Temporal: AES-256-GCM over the whole payload, its metadata included. Encoding and metadata are those of
 * Temporal's own encryption samples, so that a codec server made after them can be taught to show what stands in the history.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ApplicationFailure, type Payload, type PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { FailureType } from '../../domain/failures.ts';
import { messageOf } from '../../domain/unknown.ts';
import type { CodecKey } from './keys.ts';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

const ENCODING = 'encoding';
const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const CIPHER = 'aes-256-gcm';
/** NIST SP 800-38D: 96 bits, random for each payload; the tag has its full 128 bits. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The first key encrypts (without one payloads stay plain), all decrypt. Plain payloads are read as they are: those of the time before. */
export class EncryptionCodec implements PayloadCodec {
  readonly #first: CodecKey | undefined;
  readonly #byId: ReadonlyMap<string, CodecKey>;

  constructor(keys: readonly CodecKey[]) {
    this.#first = keys[0];
    this.#byId = new Map(keys.map((key) => [key.id, key]));
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    const key = this.#first;
    return key === undefined ? payloads : payloads.map((payload) => encrypt(key, payload));
  }

  /** Throws retryable ApplicationFailures: the run goes on once a worker has the key. */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => (textOf(payload, ENCODING) === ENCRYPTED ? this.#decrypt(payload) : payload));
  }

  #decrypt(payload: Payload): Payload {
    const id = textOf(payload, KEY_ID) ?? '';
    const key = this.#byId.get(id);
    if (key === undefined) {
      const known = [...this.#byId.keys()].join(', ') || 'none';
      throw failure(`a payload is encrypted with key "${id}", and BELAY_CODEC_KEYS has ${known}: add that key behind the first one`);
    }
    try {
      return decrypt(key, payload);
    } catch (error) {
      throw failure(`a payload cannot be decrypted with key "${id}": it was changed, or the key is another one of that name`, error);
    }
  }
}

function encrypt({ id, key }: CodecKey, payload: Payload): Payload {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  const data = Buffer.concat([cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()]);
  return {
    metadata: { [ENCODING]: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(id) },
    data: Buffer.concat([iv, data, cipher.getAuthTag()]),
  };
}

function decrypt({ key }: CodecKey, { data }: Payload): Payload {
  const bytes = Buffer.from(data ?? []);
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return PayloadMessage.decode(Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]));
}

function textOf({ metadata }: Payload, name: string): string | undefined {
  const bytes = metadata?.[name];
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
}

function failure(message: string, cause?: unknown): ApplicationFailure {
  const type: FailureType = 'Unavailable';
  return ApplicationFailure.create({
    message: `reading from Temporal: ${message}`,
    type,
    cause: cause === undefined ? undefined : new Error(messageOf(cause)),
  });
}
