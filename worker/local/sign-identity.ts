/** Proves who uses the command line: signs a GetCallerIdentity request with the AWS credentials of the shell, bound to what is sent with it. */
import { STSClient } from '@aws-sdk/client-sts';
import { bindingOf } from '../../activities/run/people/aws-identity.ts';
import { awsClientConfig } from '../../activities/clients/aws/clients.ts';
import { presignCallerIdentity } from '../../activities/clients/aws/presigned-identity.ts';
import { BINDING_HEADER, PROOF_SECONDS, type Prove } from '../../domain/gates/identity-proof.ts';
import { proxyOf } from '../config/proxy.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

/** With the shell's own credentials, never with the role of belay.yaml: that is Belay, and nobody. Rejects where there are none. */
export function createProve(cluster: ClusterRef): Prove {
  const sts = new STSClient(awsClientConfig({ ref: cluster, proxy: proxyOf(process.env) }));
  return async (words) =>
    await presignCallerIdentity(sts, { header: { [BINDING_HEADER]: bindingOf(words) }, at: new Date(), expiresIn: PROOF_SECONDS });
}
