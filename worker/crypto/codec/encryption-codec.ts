/**
 * Encrypts each payload on its way to Temporal: AES-256-GCM over the whole payload, its metadata included, bound to the workflow that it is for. With
 * keys nothing else is read: who reaches Temporal without them can make no payload that Belay takes for its own.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ApplicationFailure, type Payload, type PayloadCodec, type SerializationContext } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { FailureType } from '../../../domain/core/failure-types.ts';
import { DECRYPTED, REFUSED } from '../../../workflows/runtime/messages/seal.ts';
import { bindingOf } from './binding.ts';
import type { CodecKey } from './keys.ts';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

const ENCODING = 'encoding';
const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const BOUND_TO = 'belay-bound-to';
const CIPHER = 'aes-256-gcm';
/** NIST SP 800-38D: 96 bits, random for each payload; the tag has its full 128 bits. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * What becomes of a payload that cannot be trusted. `mark` (workers): a mark takes its place, which workflow code refuses; a throw would fail the
 * workflow's task, which Temporal repeats for ever, so that one forged signal would stop a run. `throw` (clients): nothing is read. `show` (the codec
 * server): plain ones are shown as they are.
 */
export type OnRefusal = 'mark' | 'throw' | 'show';

export interface CodecOptions {
  onRefusal?: OnRefusal;
  /** Epoch, ms: plain payloads are read before it. */
  plainUntilMs?: number;
  now?: () => number;
}

/** The first key encrypts (without one payloads stay plain), all decrypt. */
export class EncryptionCodec implements PayloadCodec {
  readonly #first: CodecKey | undefined;
  readonly #byId: ReadonlyMap<string, CodecKey>;
  readonly #onRefusal: OnRefusal;
  readonly #plainUntilMs: number;
  readonly #now: () => number;

  constructor(keys: readonly CodecKey[], { onRefusal = 'throw', plainUntilMs = 0, now = Date.now }: CodecOptions = {}) {
    this.#first = keys[0];
    this.#byId = new Map(keys.map((key) => [key.id, key]));
    this.#onRefusal = onRefusal;
    this.#plainUntilMs = plainUntilMs;
    this.#now = now;
  }

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const key = this.#first;
    const binding = bindingOf(context);
    return key === undefined ? payloads : payloads.map((payload) => encrypt(key, payload, binding));
  }

  /** Throws retryable ApplicationFailures. */
  async decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return payloads.map((payload) => {
      const read = textOf(payload, ENCODING) === ENCRYPTED ? this.#decrypt(payload, context) : this.#plain(payload);
      return typeof read === 'string' ? this.#refuse(read, context) : read;
    });
  }

  #plain(payload: Payload): Payload | string {
    if (this.#first === undefined || this.#onRefusal === 'show' || this.#isPlainAllowed) return payload;
    return 'a payload is not encrypted, and with BELAY_CODEC_KEYS only encrypted ones are read (to switch encryption on under runs that began without: BELAY_CODEC_ALLOW_PLAIN)';
  }

  /** The payload, or why it is not read. */
  #decrypt(payload: Payload, context: SerializationContext | undefined): Payload | string {
    const id = textOf(payload, KEY_ID) ?? '';
    const binding = Buffer.from(payload.metadata?.[BOUND_TO] ?? []);
    const key = this.#byId.get(id);
    if (key === undefined) {
      const known = [...this.#byId.keys()].join(', ') || 'none';
      return `a payload is encrypted with key "${id}", and BELAY_CODEC_KEYS has ${known}: add that key behind the first one`;
    }
    // Where the SDK says no context it can only be compared with itself.
    if (context !== undefined && !binding.equals(bindingOf(context)))
      return `a payload is encrypted for another workflow than ${nameOf(context)}`;
    const read = decrypt(key, payload, binding);
    if (read === undefined) return `a payload cannot be decrypted with key "${id}": it was changed, or the key is another one of that name`;
    // While plain ones are read, what is encrypted need not be sealed either: runs that began without keys go on.
    return this.#isPlainAllowed || this.#onRefusal !== 'mark'
      ? read
      : { ...read, metadata: { ...read.metadata, [DECRYPTED]: new Uint8Array([1]) } };
  }

  get #isPlainAllowed(): boolean {
    return this.#now() < this.#plainUntilMs;
  }

  #refuse(why: string, context: SerializationContext | undefined): Payload {
    if (this.#onRefusal === 'mark') return { metadata: { [ENCODING]: Buffer.from(REFUSED) }, data: Buffer.from(why) };
    // Clients read memos alone without a context, of whatever workflow a list has: one that somebody else has written must not end the list.
    if (this.#onRefusal === 'throw' && context === undefined) return { metadata: { [ENCODING]: Buffer.from('binary/null') } };
    throw failure(why);
  }
}

function encrypt({ id, key }: CodecKey, payload: Payload, binding: Buffer): Payload {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(binding);
  const data = Buffer.concat([cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()]);
  return {
    metadata: { [ENCODING]: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(id), [BOUND_TO]: binding },
    data: Buffer.concat([iv, data, cipher.getAuthTag()]),
  };
}

/** undefined: it is not what this key has encrypted for that workflow. */
function decrypt({ key }: CodecKey, { data }: Payload, binding: Buffer): Payload | undefined {
  const bytes = Buffer.from(data ?? []);
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(binding).setAuthTag(bytes.subarray(-TAG_BYTES));
    return PayloadMessage.decode(Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]));
  } catch {
    return undefined;
  }
}

function nameOf(context: SerializationContext): string {
  const { workflowId = '?' } = context;
  return context.type === 'activity' ? `activity ${context.activityId ?? '?'} of ${workflowId}` : workflowId;
}

function textOf({ metadata }: Payload, name: string): string | undefined {
  const bytes = metadata?.[name];
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
}

function failure(message: string): ApplicationFailure {
  const type: FailureType = 'Unavailable';
  return ApplicationFailure.create({ message: `reading from Temporal: ${message}`, type });
}
