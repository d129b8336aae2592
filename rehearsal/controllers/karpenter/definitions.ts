/** What the chart karpenter-crd of each version contains (charts/karpenter-crd of its release tags). */
import { minorsOf } from './migration/versions.ts';

/** Values of the charts that the twin knows. */
export interface WebhookValues {
  enabled: boolean;
  serviceName: string;
  /** "": the release's. */
  serviceNamespace: string;
  port: number;
}

export interface Definition {
  group: string;
  plural: string;
  kind: string;
  /** All are served. */
  versions: readonly string[];
  storage: string;
}

const ALPHA: readonly Definition[] = [
  { group: 'karpenter.sh', plural: 'provisioners', kind: 'Provisioner', versions: ['v1alpha5'], storage: 'v1alpha5' },
  { group: 'karpenter.sh', plural: 'machines', kind: 'Machine', versions: ['v1alpha5'], storage: 'v1alpha5' },
  { group: 'karpenter.k8s.aws', plural: 'awsnodetemplates', kind: 'AWSNodeTemplate', versions: ['v1alpha1'], storage: 'v1alpha1' },
];
const KINDS = [
  { group: 'karpenter.sh', plural: 'nodepools', kind: 'NodePool' },
  { group: 'karpenter.sh', plural: 'nodeclaims', kind: 'NodeClaim' },
  { group: 'karpenter.k8s.aws', plural: 'ec2nodeclasses', kind: 'EC2NodeClass' },
];
const own = (versions: readonly string[], storage: string): Definition[] => KINDS.map((kind) => ({ ...kind, versions, storage }));

/** By minor of 0.x, the patch since which: CRDs can convert, charts switch webhooks on, v1 is served only with webhooks. */
const PATCHES: Record<number, readonly [converts: number, byDefault: number, onlyWith: number]> = {
  33: [6, 8, 11],
  34: [7, 9, 12],
  35: [6, 8, 11],
  36: [3, 5, 8],
  37: [1, 3, 6],
};

/** Has the chart values for a conversion webhook? */
export function converts(version: string): boolean {
  const { major, minor, patch } = minorsOf(version);
  return major === 1 ? minor === 0 : patch >= (PATCHES[minor]?.[0] ?? Number.POSITIVE_INFINITY);
}

/** Do both charts switch webhooks on, unless values say otherwise? Since 1.1 there are none. */
export function webhooksByDefault(version: string): boolean {
  const { major, minor, patch } = minorsOf(version);
  if (major === 1) return minor === 0;
  return minor <= 32 || patch >= (PATCHES[minor]?.[1] ?? Number.POSITIVE_INFINITY);
}

/** The definitions of a version. `webhook`: its value webhook.enabled. */
export function definitionsOf(version: string, webhook: boolean): readonly Definition[] {
  const { major, minor, patch } = minorsOf(version);
  if (major === 1) return minor === 0 ? own(['v1', 'v1beta1'], 'v1') : own(['v1'], 'v1');
  if (minor < 32) return ALPHA;
  const withV1 = converts(version) && (webhook || patch < (PATCHES[minor]?.[2] ?? 0));
  const beta = own(withV1 ? ['v1', 'v1beta1'] : ['v1beta1'], 'v1beta1');
  return minor === 32 ? [...ALPHA, ...beta] : beta;
}
