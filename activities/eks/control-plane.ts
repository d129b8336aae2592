/** Starts the control plane's update, one minor up and never down: a lower version would start a rollback. */
import { UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { minorDistance, tryKubernetesVersion } from '../../domain/version.ts';
import type { AwsClients } from '../clients/aws.ts';
import type { EksActivities } from '../contract.ts';
import { currentSignal } from '../context.ts';
import { failureOf } from '../translate-errors.ts';
import { describeCluster } from './api.ts';
import { startUpdate } from './start-update.ts';

export async function startControlPlaneUpdate(aws: AwsClients, input: Parameters<EksActivities['startControlPlaneUpdate']>[0]) {
  const { cluster: ref, to, token, notBefore, force } = input;
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
      if (from === undefined || wanted === undefined || minorDistance(from, wanted) !== 1) {
        throw failureOf(
          'InvalidRequest',
          `starting the update of cluster ${ref.name} to ${to}: it is at ${look.version}, and EKS goes one minor up at a time; plan again from there`,
        );
      }
    },
    async send() {
      const command = new UpdateClusterVersionCommand({
        name: ref.name,
        version: to,
        clientRequestToken: token,
        ...(force === true ? { force: true } : {}),
      });
      return (await (await aws.writing()).send(command, { abortSignal: currentSignal() })).update;
    },
  });
}
