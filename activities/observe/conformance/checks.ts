/** All conformance checks, by the id of the belief that each tries. */
import { ACCOUNT_READS } from './account-reads.ts';
import type { ChangeCheck, ReadCheck } from './check.ts';
import { GITOPS_CHANGES } from './delivery-changes.ts';
import { GITOPS_READS, ISTIO_READS } from './delivery-reads.ts';
import { EKS_CHANGES } from './eks-changes.ts';
import { EKS_READS } from './eks-reads.ts';
import { KARPENTER_CHANGES } from './karpenter-changes.ts';
import { KARPENTER_READS } from './karpenter-reads.ts';
import { KUBERNETES_CHANGES } from './kubernetes-changes.ts';
import { KUBERNETES_READS } from './kubernetes-reads.ts';
import { UPDATE_READS } from './update-reads.ts';

export const READ_CHECKS: Readonly<Record<string, ReadCheck>> = {
  ...EKS_READS,
  ...UPDATE_READS,
  ...ACCOUNT_READS,
  ...KUBERNETES_READS,
  ...KARPENTER_READS,
  ...ISTIO_READS,
  ...GITOPS_READS,
};

export const CHANGE_CHECKS: Readonly<Record<string, ChangeCheck>> = {
  ...EKS_CHANGES,
  ...KUBERNETES_CHANGES,
  ...KARPENTER_CHANGES,
  ...GITOPS_CHANGES,
};
