/** Has anybody asked EKS for the older version: a rollback that runs, or one that has brought the control plane back. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { UnrequestedRollback } from '../../domain/run/unrequested-rollback.ts';
import { compareKubernetesVersions, parseKubernetesVersion } from '../../domain/core/version.ts';
import type { AwsClients } from '../clients/aws/clients.ts';
import { describeCluster } from '../clients/aws/eks-api.ts';
import { parameterOf, rollbacks } from './updates/find-update.ts';
import type { EksActivities } from '../contract/eks.ts';
import { defined } from '../../domain/core/defined.ts';

type Input = Parameters<EksActivities['findUnrequestedRollback']>[0];

export async function findUnrequestedRollback(aws: AwsClients, { cluster, at }: Input): Promise<{ descent?: UnrequestedRollback }> {
  const { version = at } = await describeCluster(aws, cluster);
  const known = await rollbacks(aws, cluster);
  const running = known.find(({ status }) => status === 'InProgress');
  const isBelow = compareKubernetesVersions(parseKubernetesVersion(version), parseKubernetesVersion(at)) < 0;
  if (running === undefined && !isBelow) return {};
  const update = running ?? known.findLast((one) => one.status === 'Successful' && parameterOf(one, 'Version') === version);
  const { id, createdAt } = update ?? {};
  return {
    descent: {
      to: (running === undefined ? undefined : parameterOf(running, 'Version')) ?? (isBelow ? version : 'an older version'),
      ended: running === undefined,
      ...defined({ updateId: id }),
      ...(createdAt === undefined ? {} : { beganAt: createdAt.toISOString() }),
    },
  };
}

/** One look; fails, to be tried again by its caller's policy, as long as there is nothing new: no descent, or one that is known and still on its way. */
export async function awaitUnrequestedRollback(
  aws: AwsClients,
  { known, ...input }: Input & { known: string[] },
): Promise<UnrequestedRollback> {
  const { descent } = await findUnrequestedRollback(aws, input);
  if (descent !== undefined && (descent.ended || !known.includes(descent.updateId ?? ''))) return descent;
  throw ApplicationFailure.create({
    message: `watching ${input.cluster.name}: nobody takes it back from ${input.at}`,
    type: 'Unavailable',
    // It is no error: nothing has happened yet.
    category: ApplicationFailureCategory.BENIGN,
  });
}
