/** What is believed of EKS's updates of managed node groups. */
import type { Belief } from './belief.ts';

export const EKS_NODE_GROUP_BELIEFS: readonly Belief[] = [
  {
    id: 'EKS-NODEGROUP-NEWER',
    says: 'EKS refuses to make a node group newer than its control plane',
    sources: ['eksModel', 'kubernetesSkew'],
    sure: 'likely',
    ifFalse: 'Plans move node groups after the control plane, whose version Belay reads first.',
    where: 'activities/eks/node-group.ts',
    trial: 'changes',
  },
  {
    id: 'EKS-NODEGROUP-CUSTOM',
    says: 'A node group with a custom AMI takes a launch template version and refuses `version` and `releaseVersion`',
    sources: ['eksModel'],
    sure: 'certain',
    ifFalse: 'Belay never sends those; it asks for a template version.',
    where: 'activities/eks/node-group.ts',
    trial: 'changes',
  },
  {
    id: 'EKS-NODEGROUP-BACK',
    says: 'A node group returns to the older version only while the cluster can roll back',
    sources: ['eksModel', 'eksRollbackPractice'],
    sure: 'unsure',
    ifFalse: 'The step fails with EKS’s message; the alternative is a new group at the old version.',
    where: 'activities/eks/await-nodes-rolled-back.ts',
    trial: { untried: 'needs a newer node group' },
  },
  {
    id: 'EKS-NODEGROUP-EVICTION',
    says: 'Without `force`, a node not drained within 15 minutes fails a node group update with PodEvictionFailure; replaced nodes remain',
    sources: ['eksNodeUpdates'],
    sure: 'likely',
    ifFalse: 'Belay watches the update to its end; a failure opens a gate.',
    where: 'domain/tables/eks-failures.ts',
    trial: { untried: 'replaces nodes for half an hour' },
  },
  {
    id: 'EKS-NODEGROUP-FORCE',
    says: '`force` ends nodes even if their pods could not be evicted',
    sources: ['eksModel', 'eksNodeUpdates'],
    sure: 'certain',
    ifFalse: 'It has its own gate and is sent once.',
    where: 'activities/eks/node-group.ts',
    trial: { untried: 'replaces nodes against their PodDisruptionBudgets' },
  },
];
