/** Key pairs of a rehearsal: its worker believes what its Slack process signs, and what a worker signs for a campaign, as in production. */
import { generateKeyPairSync } from 'node:crypto';

/** `privateLine`: BELAY_SIGNING_KEY of the process. `publicKeys`: its part of signing.publicKeys of belay.yaml. */
export function makeSigningKey(id = 'rehearsal'): { privateLine: string; publicKeys: Record<string, string> } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const whole = publicKey.export({ format: 'der', type: 'spki' });
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  return { privateLine: `${id}:${pkcs8}`, publicKeys: { [id]: whole.subarray(-32).toString('base64') } };
}
