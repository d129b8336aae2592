/** Makes a key pair for a Slack process, and the two lines in which it is written down. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { publicTextOf, type SigningKey } from '../../../activities/run/authorization/signature.ts';

/** `privateLine`: for the environment of the Slack process alone. `publicKey`: base64, for belay.yaml. */
export interface KeyLines {
  id: string;
  privateLine: string;
  publicKey: string;
}

/** Named by the day, so that an old and a new one are told apart while both are listed: `slack-2026-11-23`. */
export function newKeyLines(now: Date, id = `slack-${now.toISOString().slice(0, 10)}`): KeyLines {
  const { privateKey } = generateKeyPairSync('ed25519');
  const base64 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  return { id, privateLine: `BELAY_SIGNING_KEY=${id}:${base64}`, publicKey: publicTextOf(privateKey) };
}

export const publicKeyOf = ({ key }: SigningKey): string => publicTextOf(key);

/** The part of belay.yaml. */
export function publicYaml({ id, publicKey }: Pick<KeyLines, 'id' | 'publicKey'>): string {
  return ['signing:', '  publicKeys:', `    ${id}: ${publicKey}`].join('\n');
}

/** Appends the private line for its owner alone to read. Throws where the file has a key already: nothing is overwritten. */
export function appendPrivateLine(file: string, { privateLine }: KeyLines): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (/^\s*(export\s+)?BELAY_SIGNING_KEY=./m.test(text))
    throw new Error(`${file} has a BELAY_SIGNING_KEY already, and it is not overwritten. Move it away to replace the key.`);
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${privateLine}\n`, { mode: 0o600 });
}
