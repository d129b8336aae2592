/** The key pair of a rehearsal's Slack process: its worker believes what that signs, as in production. */
import { generateKeyPairSync } from 'node:crypto';

const ID = 'rehearsal';

/** `privateLine`: BELAY_SIGNING_KEY of the Slack process. `publicKeys`: signing.publicKeys of belay.yaml. */
export function makeSigningKey(): { privateLine: string; publicKeys: Record<string, string> } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const whole = publicKey.export({ format: 'der', type: 'spki' });
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  return { privateLine: `${ID}:${pkcs8}`, publicKeys: { [ID]: whole.subarray(-32).toString('base64') } };
}
