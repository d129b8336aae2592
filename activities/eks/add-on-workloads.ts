/** The workloads behind EKS's add-ons: which they are, whether they have rolled, and which version they run. */
import { tryComponentVersion } from '../../domain/component-version.ts';
import type { KubeObject, KubernetesPort } from '../ports.ts';

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

interface WorkloadSpec {
  replicas?: number;
  template?: { spec?: { containers?: { name: string; image?: string }[] } };
}

interface WorkloadStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  availableReplicas?: number;
  desiredNumberScheduled?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
}

export type Workload = KubeObject<WorkloadSpec, WorkloadStatus>;

export interface AddOnWorkloads {
  found: Workload[];
  missing: string[];
}

export async function readAddOnWorkloads(kubernetes: KubernetesPort, addOn: string): Promise<AddOnWorkloads> {
  const result: AddOnWorkloads = { found: [], missing: [] };
  for (const { plural, name } of WORKLOADS[addOn] ?? []) {
    const workload = await kubernetes.get<Workload>({ apiVersion: 'apps/v1', plural, namespace: 'kube-system', name });
    if (workload === undefined) result.missing.push(name);
    else result.found.push(workload);
  }
  return result;
}

/** What still has to happen until the workload has rolled; undefined: it has. */
export function rolloutLeft(workload: Workload): string | undefined {
  const { name, generation } = workload.metadata;
  const status = workload.status ?? {};
  if (generation !== undefined && (status.observedGeneration ?? 0) < generation) return `${name} has not seen its change yet`;
  const daemon = status.desiredNumberScheduled !== undefined;
  const wanted = (daemon ? status.desiredNumberScheduled : (workload.spec?.replicas ?? 1)) ?? 0;
  const updated = (daemon ? status.updatedNumberScheduled : status.updatedReplicas) ?? 0;
  const available = (daemon ? status.numberAvailable : status.availableReplicas) ?? 0;
  if (updated < wanted) return `${name} has ${updated} of ${wanted} pods updated`;
  if (!daemon && (status.replicas ?? 0) > updated) return `${name} still has pods of the old version`;
  if (available < wanted) return `${name} has ${available} of ${wanted} pods available`;
  return undefined;
}

/** The version in the first image's tag: "v1.33.3-eksbuild.4" of "…/kube-proxy:v1.33.3-minimal-eksbuild.4". undefined: a digest or no tag. */
export function imageVersion(workload: Workload): string | undefined {
  const image = workload.spec?.template?.spec?.containers?.[0]?.image;
  const tag = image === undefined ? undefined : /:([^:/@]+)(?:@.*)?$/.exec(image)?.[1];
  if (tag === undefined || tryComponentVersion(tag) === undefined) return undefined;
  return tag.replace(/-(?:minimal|default)(?=-eksbuild)/, '');
}
