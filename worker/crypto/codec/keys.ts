/** Keys that encrypt what Temporal stores: BELAY_CODEC_KEYS. */
import { createSecretKey, type KeyObject } from 'node:crypto';

/** Cannot be printed: a KeyObject does not show what it holds. */
export interface CodecKey {
  id: string;
  key: KeyObject;
}

const FORM = 'Write ID:KEY[,ID:KEY…], each key 32 bytes in base64 (openssl rand -base64 32); the first one encrypts, all of them decrypt.';
/** 32 bytes. */
const BASE64_KEY = /^[A-Za-z0-9+/]{43}=$/;
const ID = /^[A-Za-z0-9._-]{1,64}$/;

/** BELAY_CODEC_KEYS cannot be used. The message says which key and why, and shows none. */
export class CodecKeysError extends Error {
  override readonly name = 'CodecKeysError';

  constructor(why: string) {
    super(`BELAY_CODEC_KEYS: ${why}. ${FORM}`);
  }
}

/** In the order of the variable; none where it is absent or empty. Throws CodecKeysError. */
export function codecKeys(env: NodeJS.ProcessEnv): CodecKey[] {
  const text = (env['BELAY_CODEC_KEYS'] ?? '').trim();
  const keys = text === '' ? [] : text.split(',').map((entry, index) => parseKey(entry.trim(), index + 1));
  const twice = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) < index);
  if (twice !== undefined) throw new CodecKeysError(`two keys have the id "${twice.id}"`);
  return keys;
}

function parseKey(entry: string, number: number): CodecKey {
  const colon = entry.indexOf(':');
  const [id, base64] = [entry.slice(0, Math.max(0, colon)), entry.slice(colon + 1)];
  // Without a colon everything may be the key: not shown.
  if (!ID.test(id)) throw new CodecKeysError(`key ${number} has no id of letters, digits, ".", "_" and "-" before a colon`);
  if (!BASE64_KEY.test(base64)) throw new CodecKeysError(`key ${number} ("${id}") is not 32 bytes in base64`);
  return { id, key: createSecretKey(base64, 'base64') };
}
