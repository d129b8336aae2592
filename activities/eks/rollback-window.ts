/** Can EKS take the control plane back, and until when: by EKS's own list of updates and its own clock. */
import { wayBack } from '../../domain/facts/rollback-window.ts';
import type { AwsClients } from '../clients/aws/clients.ts';
import { describeCluster } from '../clients/aws/eks-api.ts';
import { versionChanges } from './updates/find-update.ts';
import type { EksActivities } from '../contract/eks.ts';

export async function readRollbackWindow(
  aws: AwsClients,
  { cluster: ref }: Parameters<EksActivities['readRollbackWindow']>[0],
): ReturnType<EksActivities['readRollbackWindow']> {
  const { version = '' } = await describeCluster(aws, ref);
  const changes = await versionChanges(aws, ref);
  const now = aws.eksDate() ?? new Date().toISOString();
  return { now, back: wayBack(version, changes, now) };
}
