/** SHA-256 in plain JavaScript: domain/ runs where there is no node:crypto, and its answer has to be there at once. */
import { Sha256 } from '@aws-crypto/sha256-js';

/** 64 hexadecimal digits, of the text as UTF-8. */
export function sha256(text: string): string {
  const hash = new Sha256();
  hash.update(new TextEncoder().encode(text));
  return [...hash.digestSync()].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
