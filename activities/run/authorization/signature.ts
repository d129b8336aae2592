/** Signatures of the Slack process: made with its private key, believed by the public keys that the worker's belay.yaml lists. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type Claim, type Prove, SIGNATURE_SCHEME } from '../../../domain/gates/identity-proof.ts';

/** Public keys by their ids, as base64 of the raw 32 bytes. */
export type PublicKeys = Readonly<Record<string, string>>;

/** A key of Ed25519 that signs. It cannot be printed: a KeyObject does not show what it holds. */
export interface SigningKey {
  id: string;
  key: KeyObject;
}

/** What stands before the 32 bytes of a key in PKCS#8 and in SPKI (RFC 8410, section 7 and 4). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PROOF = new RegExp(`^${SIGNATURE_SCHEME}:([A-Za-z0-9._-]{1,64}):([A-Za-z0-9_-]{86})$`);

/** Of a seed of 32 bytes, or of PKCS#8. Throws what node:crypto throws for anything else. */
export function privateKeyOf(bytes: Buffer): KeyObject {
  const der = bytes.length === 32 ? Buffer.concat([PKCS8_PREFIX, bytes]) : bytes;
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** The line of belay.yaml that belongs to a private key. */
export function publicTextOf(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length).toString('base64');
}

export function createSigner({ id, key }: SigningKey): Prove {
  return async (text) => `${SIGNATURE_SCHEME}:${id}:${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

/** Is this a proof of the Slack process, rather than one by AWS? */
export function isSignature(proof: string): boolean {
  return proof.startsWith(`${SIGNATURE_SCHEME}:`);
}

/** Why a signature is not believed, in a sentence for the sender; undefined where it holds. */
export function whyNotSigned({ proof = '', words }: Claim, keys: PublicKeys): string | undefined {
  const [, id = '', signature = ''] = PROOF.exec(proof) ?? [];
  const known = Object.hasOwn(keys, id) ? keys[id] : undefined;
  if (known === undefined) {
    const listed = Object.keys(keys);
    const has = listed.length === 0 ? 'lists no key' : `lists ${listed.join(', ')}`;
    return `The Slack process signed this with key "${id}", and signing.publicKeys in the worker's belay.yaml ${has}. Nothing was done. Add the public line that "belay signing-key --public" prints there.`;
  }
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, Buffer.from(known, 'base64')]), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(words), key, Buffer.from(signature, 'base64url'))
    ? undefined
    : `The signature of this message is not by key "${id}" of signing.publicKeys, or it was altered on its way. Nothing was done.`;
}
