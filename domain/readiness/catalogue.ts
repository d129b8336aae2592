/** Every readiness check, in the order in which reports have them. */
import type { Check } from './model/check.ts';
import { accessChecks } from './checks/workloads/access.ts';
import { compareText } from '../core/text.ts';
import { addOnChecks } from './checks/eks/add-ons.ts';
import { addressChecks } from './checks/workloads/addresses.ts';
import { admissionChecks } from './checks/workloads/admission.ts';
import { apiChecks } from './checks/workloads/apis.ts';
import { autoscalerChecks } from './checks/workloads/autoscaler.ts';
import { awsChecks } from './checks/eks/aws.ts';
import { budgetChecks } from './checks/workloads/budgets.ts';
import { controllerChecks } from './checks/workloads/controllers.ts';
import { eksChecks } from './checks/eks/eks.ts';
import { istioChecks } from './checks/istio/istio.ts';
import { karpenterChecks } from './checks/karpenter/karpenter.ts';
import { kubeProxyChecks } from './checks/eks/kube-proxy.ts';
import { nodeChecks } from './checks/eks/nodes.ts';
import { nodePoolChecks } from './checks/karpenter/node-pools.ts';
import { ownershipChecks } from './checks/workloads/ownership.ts';
import { podChecks } from './checks/workloads/pods.ts';
import { serviceChecks } from './checks/workloads/services.ts';
import { supportChecks } from './checks/eks/support.ts';
import { volumeChecks } from './checks/workloads/volumes.ts';
import { workloadChecks } from './checks/workloads/workloads.ts';

const AREAS: readonly Check['area'][] = ['EKS', 'AWS', 'Kubernetes', 'Karpenter', 'Istio', 'Ownership'];

export const CATALOGUE: readonly Check[] = [
  ...eksChecks,
  ...supportChecks,
  ...nodeChecks,
  ...kubeProxyChecks,
  ...addOnChecks,
  ...awsChecks,
  ...apiChecks,
  ...admissionChecks,
  ...serviceChecks,
  ...addressChecks,
  ...accessChecks,
  ...workloadChecks,
  ...autoscalerChecks,
  ...controllerChecks,
  ...budgetChecks,
  ...podChecks,
  ...volumeChecks,
  ...karpenterChecks,
  ...nodePoolChecks,
  ...istioChecks,
  ...ownershipChecks,
].toSorted((a, b) => AREAS.indexOf(a.area) - AREAS.indexOf(b.area) || compareText(a.code, b.code));
