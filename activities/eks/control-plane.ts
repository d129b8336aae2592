/** Starts the control plane's update, one minor up, or down where just that is meant: a lower version starts a rollback. */
import { UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { minorDistance, tryKubernetesVersion } from '../../domain/core/version.ts';
import type { AwsClients } from '../clients/aws/clients.ts';
import { currentSignal } from '../runtime/context.ts';
import { failureOf } from '../runtime/translate-errors.ts';
import { describeCluster } from '../clients/aws/eks-api.ts';
import { startUpdate } from './updates/start-update.ts';
import type { EksActivities } from '../contract/eks.ts';

export async function startControlPlaneUpdate(aws: AwsClients, input: Parameters<EksActivities['startControlPlaneUpdate']>[0]) {
  const { cluster: ref, to, token, notBefore, force, back, nodesTimeoutMinutes } = input;
  const step = back === true ? -1 : 1;
  return startUpdate({
    aws,
    ref,
    resource: { kind: 'cluster' },
    to,
    notBefore,
    async look() {
      const cluster = await describeCluster(aws, ref);
      return { version: cluster.version ?? '', status: cluster.status ?? 'unknown', there: cluster.version === to };
    },
    permit(look) {
      const from = tryKubernetesVersion(look.version);
      const wanted = tryKubernetesVersion(to);
      if (from === undefined || wanted === undefined || minorDistance(from, wanted) !== step) {
        throw failureOf(
          'InvalidRequest',
          `starting the update of cluster ${ref.name} to ${to}: it is at ${look.version}, and EKS goes one minor ${back === true ? 'back, no further' : 'up at a time'}; plan again from there`,
        );
      }
    },
    async send() {
      const command = new UpdateClusterVersionCommand({
        name: ref.name,
        version: to,
        clientRequestToken: token,
        ...(force === true ? { force: true } : {}),
        ...(nodesTimeoutMinutes === undefined ? {} : { rollbackConfig: { timeoutMinutes: nodesTimeoutMinutes } }),
      });
      return (await (await aws.writing()).send(command, { abortSignal: currentSignal() })).update;
    },
  });
}
