/** Every readiness check, in the order in which reports have them. */
import type { Check } from './check.ts';
import { addOnChecks } from './checks/add-ons.ts';
import { admissionChecks } from './checks/admission.ts';
import { apiChecks } from './checks/apis.ts';
import { awsChecks } from './checks/aws.ts';
import { budgetChecks } from './checks/budgets.ts';
import { eksChecks } from './checks/eks.ts';
import { istioChecks } from './checks/istio.ts';
import { karpenterChecks } from './checks/karpenter.ts';
import { kubeProxyChecks } from './checks/kube-proxy.ts';
import { nodeChecks } from './checks/nodes.ts';
import { nodePoolChecks } from './checks/node-pools.ts';
import { ownershipChecks } from './checks/ownership.ts';
import { podChecks } from './checks/pods.ts';
import { serviceChecks } from './checks/services.ts';
import { volumeChecks } from './checks/volumes.ts';
import { workloadChecks } from './checks/workloads.ts';

const AREAS: readonly Check['area'][] = ['EKS', 'AWS', 'Kubernetes', 'Karpenter', 'Istio', 'Ownership'];

export const CATALOGUE: readonly Check[] = [
  ...eksChecks,
  ...nodeChecks,
  ...kubeProxyChecks,
  ...addOnChecks,
  ...awsChecks,
  ...apiChecks,
  ...admissionChecks,
  ...serviceChecks,
  ...workloadChecks,
  ...budgetChecks,
  ...podChecks,
  ...volumeChecks,
  ...karpenterChecks,
  ...nodePoolChecks,
  ...istioChecks,
  ...ownershipChecks,
].toSorted((a, b) => AREAS.indexOf(a.area) - AREAS.indexOf(b.area) || a.code.localeCompare(b.code));
