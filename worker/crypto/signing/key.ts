/** The key with which the Slack process signs what it received from Slack: BELAY_SIGNING_KEY. */
import { createSigner, privateKeyOf, type SigningKey } from '../../../activities/run/authorization/signature.ts';
import type { Prove } from '../../../domain/gates/identity-proof.ts';
import { messageOf } from '../../../domain/core/unknown.ts';

const FORM = 'Write ID:KEY, the key a seed of 32 bytes or PKCS#8 of Ed25519, in base64; "belay signing-key" makes one.';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const ID = /^[A-Za-z0-9._-]{1,64}$/;

/** BELAY_SIGNING_KEY cannot be used. The message says why, and shows no part of the key. */
export class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError';

  constructor(why: string) {
    super(`BELAY_SIGNING_KEY: ${why}. ${FORM}`);
  }
}

/** undefined where the variable is absent or empty. Throws SigningKeyError. */
export function signingKey(env: NodeJS.ProcessEnv): SigningKey | undefined {
  const text = (env['BELAY_SIGNING_KEY'] ?? '').trim();
  if (text === '') return undefined;
  const colon = text.indexOf(':');
  const [id, base64] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)];
  // Without a colon everything may be the key: not shown.
  if (!ID.test(id)) throw new SigningKeyError('it has no id of letters, digits, ".", "_" and "-" before a colon');
  if (!BASE64.test(base64)) throw new SigningKeyError(`the key of "${id}" is not base64`);
  const key = parsed(id, Buffer.from(base64, 'base64'));
  if (key.asymmetricKeyType !== 'ed25519') throw new SigningKeyError(`the key of "${id}" is of ${key.asymmetricKeyType}, not of Ed25519`);
  return { id, key };
}

/** As the Slack process signs; undefined without a key. Throws SigningKeyError. */
export function slackProve(env: NodeJS.ProcessEnv): Prove | undefined {
  const key = signingKey(env);
  return key === undefined ? undefined : createSigner(key);
}

function parsed(id: string, bytes: Buffer): ReturnType<typeof privateKeyOf> {
  try {
    return privateKeyOf(bytes);
  } catch (error) {
    // The message of node:crypto names the form that it misses, never the bytes.
    const hint = bytes.length === 44 ? '; 44 bytes are a public key' : '';
    throw new SigningKeyError(`the key of "${id}" is neither 32 bytes nor PKCS#8 (${messageOf(error).slice(0, 80)}${hint})`);
  }
}
