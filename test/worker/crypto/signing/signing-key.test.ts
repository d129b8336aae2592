/** BELAY_SIGNING_KEY: both forms give one key, and no message shows any part of it. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspect } from 'node:util';
import { createSigner, publicTextOf, whyNotSigned } from '../../../../activities/run/authorization/signature.ts';
import { signingKey } from '../../../../worker/crypto/signing/key.ts';
import { appendPrivateLine, newKeyLines } from '../../../../worker/crypto/signing/make.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const PKCS8 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const SEED = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32).toString('base64');
const PUBLIC = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const OTHER = generateKeyPairSync('x25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const read = (value: string) => signingKey({ BELAY_SIGNING_KEY: value });

describe('BELAY_SIGNING_KEY', () => {
  test.each(['slack-1', 'slack.2026_11'])('RS1: a seed and PKCS#8 of the same key are one, under id %s', async (id) => {
    for (const form of [SEED, PKCS8]) {
      const key = read(` ${id}:${form}\n`);
      if (key === undefined) throw new Error('no key');
      expect(key.id).toBe(id);
      const proof = await createSigner(key)('words');
      expect(whyNotSigned({ proof, words: 'words' }, { [id]: publicTextOf(privateKey) })).toBeUndefined();
      expect(inspect(key)).not.toContain(form.slice(0, 10));
    }
  });

  test('absent or empty is none', () => {
    expect(read('')).toBeUndefined();
    expect(signingKey({})).toBeUndefined();
  });

  test.each([
    [SEED, 'it has no id'],
    [`a b:${SEED}`, 'it has no id'],
    [`slack:${SEED.slice(0, -4)}`, 'the key of "slack" is neither 32 bytes nor PKCS#8'],
    [`slack:${SEED.replace(/^./, '-')}`, 'the key of "slack" is not base64'],
    [`slack:${PUBLIC}`, '44 bytes are a public key'],
    [`slack:${OTHER}`, 'is of x25519, not of Ed25519'],
  ])('RS1: what is no key is told without showing it (%#)', (value, why) => {
    const text = ((): string => {
      try {
        read(value);
        return '';
      } catch (error) {
        return String(error);
      }
    })();
    expect(text).toContain(`SigningKeyError: BELAY_SIGNING_KEY: `);
    expect(text).toContain(why);
    expect(text).not.toContain(value.slice(-20));
  });
});

test('RS1: a file that others could read, such as the .env that has the codec key already, is its owner’s alone once the key is in it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-key-'));
  try {
    const lines = newKeyLines(new Date('2026-11-23T00:00:00Z'));
    for (const [name, before] of [['.env', 'BELAY_CODEC_KEYS=first:x'], ['new.env']] as const) {
      const file = join(folder, name);
      if (before !== undefined) writeFileSync(file, before, { mode: 0o644 });
      appendPrivateLine(file, lines);
      expect(readFileSync(file, 'utf8')).toBe(`${before === undefined ? '' : `${before}\n`}${lines.privateLine}\n`);
      expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
