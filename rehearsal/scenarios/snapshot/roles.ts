/** The role of Karpenter's controller: IAM's documents are not in a snapshot, so it has what Karpenter's own policy allows. */
import { karpenterPolicy } from '../parts/karpenter-policies.ts';
import { records, texts } from './aws/calls.ts';
import type { World } from '../../world/world.ts';

export function addRoles({ eks, store }: World): void {
  const [deployment] = store.list('deployments', { labels: { 'app.kubernetes.io/name': 'karpenter' } });
  if (deployment === undefined) return;
  const { account, name } = eks.cluster;
  const document = karpenterPolicy('v1', eks.cluster);
  const statements = records(Object.entries(document).find(([key]) => key === 'Statement')?.[1]);
  eks.controllerRoles.push({
    arn: `arn:aws:iam::${account}:role/karpenter-${name}`,
    allows: statements.flatMap(({ Action }) => texts([Action].flat())),
    policies: [{ name: 'karpenter-v1', document }],
    association: {
      id: 'a-notinthesnapshot1',
      namespace: deployment.metadata.namespace ?? 'kube-system',
      serviceAccount: deployment.spec?.template?.spec?.serviceAccountName ?? 'karpenter',
    },
  });
}
