/** A key of a Slack process, for tests: what it signs, and the public keys by which workers believe it. */
import { generateKeyPairSync } from 'node:crypto';
import { createSigner, publicTextOf, type SigningKey } from '../../activities/run/authorization/signature.ts';
import { type ApproverDeps, createApproverActivities } from '../../activities/run/people/approvers.ts';
import type { Claim, Prove } from '../../domain/gates/identity-proof.ts';

export interface TestSigner {
  key: SigningKey;
  publicKeys: Record<string, string>;
  prove: Prove;
  claim(words?: string): Promise<Claim & { proof: string }>;
}

export function testSigner(id = 'slack-1'): TestSigner {
  const key: SigningKey = { id, key: generateKeyPairSync('ed25519').privateKey };
  const prove = createSigner(key);
  return {
    key,
    prove,
    publicKeys: { [id]: publicTextOf(key.key) },
    claim: async (words = 'what was said') => ({ words, proof: await prove(words) }),
  };
}

/** Rights as in production. Messages that the test sends as somebody of Slack without a proof are signed on their way: tests of proofs send their own. */
export function rightsOf(deps: ApproverDeps): ReturnType<typeof createApproverActivities> {
  const signer = testSigner();
  const { readApprover } = createApproverActivities({ publicKeys: () => signer.publicKeys, ...deps });
  return {
    readApprover: async (asked) =>
      await readApprover(
        asked.claim.proof === undefined && asked.actor.kind === 'slack'
          ? { ...asked, claim: await signer.claim(asked.claim.words) }
          : asked,
      ),
  };
}
