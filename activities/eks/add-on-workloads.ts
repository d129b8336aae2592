/** The workloads behind EKS's add-ons: which they are, whether they have rolled, and which version they run. */
import { tryComponentVersion } from '../../domain/component-version.ts';
import { rolloutLack, type WorkloadKind } from '../kubernetes/rollout.ts';
import type { Workload } from '../kubernetes/shapes.ts';
import type { KubernetesPort } from '../ports.ts';

interface WorkloadName {
  plural: 'daemonsets' | 'deployments';
  name: string;
}

/** In kube-system. Add-ons that are not listed are judged by EKS's own health alone. */
const WORKLOADS: Readonly<Record<string, readonly WorkloadName[]>> = {
  'vpc-cni': [{ plural: 'daemonsets', name: 'aws-node' }],
  'kube-proxy': [{ plural: 'daemonsets', name: 'kube-proxy' }],
  coredns: [{ plural: 'deployments', name: 'coredns' }],
  'aws-ebs-csi-driver': [
    { plural: 'deployments', name: 'ebs-csi-controller' },
    { plural: 'daemonsets', name: 'ebs-csi-node' },
  ],
  'aws-efs-csi-driver': [
    { plural: 'deployments', name: 'efs-csi-controller' },
    { plural: 'daemonsets', name: 'efs-csi-node' },
  ],
  'eks-pod-identity-agent': [{ plural: 'daemonsets', name: 'eks-pod-identity-agent' }],
  'metrics-server': [{ plural: 'deployments', name: 'metrics-server' }],
};

/** The three that exist on clusters whether or not EKS manages them. */
export const SELF_MANAGED_CANDIDATES = ['vpc-cni', 'kube-proxy', 'coredns'] as const;

export interface AddOnWorkloads {
  found: Workload[];
  rolling: { kind: WorkloadKind; object: Workload }[];
}

export async function readAddOnWorkloads(kubernetes: KubernetesPort, addOn: string): Promise<AddOnWorkloads> {
  const result: AddOnWorkloads = { found: [], rolling: [] };
  for (const { plural, name } of WORKLOADS[addOn] ?? []) {
    const workload = await kubernetes.get<Workload>({ apiVersion: 'apps/v1', plural, namespace: 'kube-system', name });
    if (workload === undefined) continue;
    result.found.push(workload);
    result.rolling.push({ kind: plural === 'daemonsets' ? 'DaemonSet' : 'Deployment', object: workload });
  }
  return result;
}

/** What is left until every workload has rolled; undefined: nothing. */
export function rolloutLeft(workloads: AddOnWorkloads): string | undefined {
  for (const { kind, object } of workloads.rolling) {
    const lack = rolloutLack(kind, object);
    if (lack !== undefined) return `${object.metadata.name}: ${lack}`;
  }
  return undefined;
}

/** The version in the first image's tag: "v1.33.3-eksbuild.4" of "…/kube-proxy:v1.33.3-minimal-eksbuild.4". undefined: a digest or no tag. */
export function addOnImageVersion(workload: Workload): string | undefined {
  const image = workload.spec?.template?.spec?.containers?.[0]?.image;
  const tag = image === undefined ? undefined : /:([^:/@]+)(?:@.*)?$/.exec(image)?.[1];
  if (tag === undefined || tryComponentVersion(tag) === undefined) return undefined;
  return tag.replace(/-(?:minimal|default)(?=-eksbuild)/, '');
}
