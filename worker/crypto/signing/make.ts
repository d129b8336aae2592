/** Makes a key pair for a Slack process, and the two lines in which it is written down. */
import { appendFileSync, closeSync, existsSync, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { messageOf } from '../../../domain/core/unknown.ts';
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

/**
 * Appends the private line for its owner alone to read: of a file that is there already others lose their rights, since the mode of a call holds for new
 * files alone. Throws where the file has a key already (nothing is overwritten), or belongs to somebody else: nothing is written then.
 */
export function appendPrivateLine(file: string, { privateLine }: KeyLines): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (/^\s*(export\s+)?BELAY_SIGNING_KEY=./m.test(text))
    throw new Error(`${file} has a BELAY_SIGNING_KEY already, and it is not overwritten. Move it away to replace the key.`);
  const opened = openSync(file, 'a', 0o600);
  try {
    keepFromOthers(file, opened);
    appendFileSync(opened, `${text === '' || text.endsWith('\n') ? '' : '\n'}${privateLine}\n`);
  } finally {
    closeSync(opened);
  }
}

function keepFromOthers(file: string, opened: number): void {
  const stat = fstatSync(opened);
  if (!stat.isFile() || (stat.mode & 0o077) === 0) return;
  try {
    fchmodSync(opened, stat.mode & 0o700);
  } catch (error) {
    throw new Error(`Others can read ${file}, and its mode cannot be changed (${messageOf(error)}). Name a file of your own.`, {
      cause: error,
    });
  }
}
