/** What is believed of EKS's updates of managed node groups. */
import type { Belief } from './belief.ts';

export const EKS_NODE_GROUP_BELIEFS: readonly Belief[] = [
  {
    id: 'EKS-NODEGROUP-NEWER',
    says: 'EKS refuses to make a node group newer than its control plane',
    sources: ['eksModel', 'kubernetesSkew'],
    sure: 'likely',
    ifFalse: 'Plans move node groups after the control plane, and Belay reads its version before it sends.',
    where: 'activities/eks/node-group.ts',
    trial: 'changes',
  },
  {
    id: 'EKS-NODEGROUP-CUSTOM',
    says: 'A node group with an AMI of its own takes a launch template version and refuses `version` and `releaseVersion`',
    sources: ['eksModel'],
    sure: 'certain',
    ifFalse: 'Belay never sends them for such a group; it asks for a template version.',
    where: 'activities/eks/node-group.ts',
    trial: 'changes',
  },
  {
    id: 'EKS-NODEGROUP-BACK',
    says: 'A node group goes back to the older version only while a rollback of the cluster is possible',
    sources: ['eksModel', 'eksRollbackPractice'],
    sure: 'unsure',
    ifFalse: 'The step fails with EKS’s message; the alternative is a new group at the old version.',
    where: 'activities/eks/await-nodes-rolled-back.ts',
    trial: { untried: 'needs a node group that is newer than the version to go back to' },
  },
  {
    id: 'EKS-NODEGROUP-EVICTION',
    says: 'Without `force` an update of a node group fails with PodEvictionFailure when a node is not drained within 15 minutes; nodes that were replaced stay',
    sources: ['eksNodeUpdates'],
    sure: 'likely',
    ifFalse: 'Belay watches the update to its end, however long, and a failure asks at a gate.',
    where: 'domain/tables/eks-failures.ts',
    trial: { untried: 'replaces nodes and takes half an hour' },
  },
  {
    id: 'EKS-NODEGROUP-FORCE',
    says: '`force` ends nodes whether or not their pods could be evicted',
    sources: ['eksModel', 'eksNodeUpdates'],
    sure: 'certain',
    ifFalse: 'It has a gate of its own and is sent once.',
    where: 'activities/eks/node-group.ts',
    trial: { untried: 'replaces nodes against their PodDisruptionBudgets' },
  },
];
