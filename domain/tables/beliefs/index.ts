/** All beliefs, by outside. */
import { EC2_BELIEFS, STS_IAM_BELIEFS } from './aws.ts';
import type { Belief, Outside } from './belief.ts';
import { ARGO_BELIEFS, FLUX_BELIEFS, ISTIO_BELIEFS } from './delivery.ts';
import { EKS_READ_BELIEFS } from './eks-reads.ts';
import { EKS_NODE_GROUP_BELIEFS } from './eks-node-groups.ts';
import { EKS_UPDATE_BELIEFS } from './eks-updates.ts';
import { KARPENTER_BELIEFS } from './karpenter.ts';
import { KUBERNETES_BELIEFS } from './kubernetes.ts';
import { SLACK_BELIEFS } from './slack.ts';

export const OUTSIDES: readonly Outside[] = [
  { title: 'Amazon EKS: updates', prefix: 'EKS', beliefs: [...EKS_UPDATE_BELIEFS, ...EKS_NODE_GROUP_BELIEFS] },
  { title: 'Amazon EKS: what it answers', prefix: 'EKS', beliefs: EKS_READ_BELIEFS },
  { title: 'STS and IAM', prefix: '(STS|IAM)', beliefs: STS_IAM_BELIEFS },
  { title: 'EC2, Auto Scaling, SSM and KMS', prefix: '(EC2|ASG|SSM|KMS)', beliefs: EC2_BELIEFS },
  { title: 'Kubernetes', prefix: 'K8S', beliefs: KUBERNETES_BELIEFS },
  { title: 'Karpenter', prefix: 'KARPENTER', beliefs: KARPENTER_BELIEFS },
  { title: 'Istio', prefix: 'ISTIO', beliefs: ISTIO_BELIEFS },
  { title: 'Flux', prefix: 'FLUX', beliefs: FLUX_BELIEFS },
  { title: 'Argo CD', prefix: 'ARGO', beliefs: ARGO_BELIEFS },
  { title: 'Slack', prefix: 'SLACK', beliefs: SLACK_BELIEFS },
];

export const BELIEFS: readonly Belief[] = OUTSIDES.flatMap(({ beliefs }) => beliefs);
