/** What of Belay a cluster of belay.yaml uses, as far as rights go. */
import { accessOf, type Config, policyOf, readinessOf } from '../../domain/config/config.ts';
import type { AwsUse, ClusterPlace } from '../../domain/permissions/iam.ts';

/** Suffixes of deploy/kubernetes-rbac-*.yaml. */
export const ROLE_OPTIONS = [
  'canary-node',
  'helm-releases',
  'istio-gitops',
  'istio-helm',
  'karpenter-helm',
  'karpenter-migration',
  'mesh-debug',
  'mesh-scrapes',
  'scrapes',
  'self-managed',
] as const;
export type RoleOption = (typeof ROLE_OPTIONS)[number];

/** belay.yaml does not say whether they are wanted. */
export const ASKED_FOR = ['istio-gitops', 'karpenter-migration', 'mesh-debug'] as const satisfies readonly RoleOption[];

/** What the command line adds to belay.yaml. */
export interface Named {
  addOnRoles: readonly string[];
  nodeRoles: readonly string[];
  launchTemplates: readonly string[];
  also: readonly RoleOption[];
}

export function placeOf(config: Config, name: string): ClusterPlace {
  const { region, account } = accessOf(config, name);
  return { name, region, account };
}

export function awsUseOf(config: Config, name: string, { addOnRoles, nodeRoles, launchTemplates, also }: Named): AwsUse {
  const { managedBy, nodeGroups, controlPlane, health } = policyOf(config, name);
  return {
    controlPlane: managedBy.controlPlane === 'eks',
    nodeGroups: managedBy.nodeGroups === 'eks',
    addOns: managedBy.addOns === 'eks',
    logging: (controlPlane?.logging ?? []).length > 0,
    selfManaged: nodeGroups?.selfManaged === 'refresh',
    migration: also.includes('karpenter-migration'),
    amazonPrometheus: accessOf(config, name).prometheus?.sigv4 !== undefined,
    cloudWatch: health?.checks.some(({ cloudWatch }) => cloudWatch !== undefined) === true,
    addOnRoles,
    nodeRoles,
    launchTemplates,
  };
}

/** Optional roles, in the order of their files. */
export function roleOptionsOf(config: Config, name: string, also: readonly RoleOption[]): RoleOption[] {
  const { managedBy, karpenter, nodeGroups, health } = policyOf(config, name);
  const scrapes = health?.checks.some(({ scrape }) => scrape !== undefined) === true;
  const used: Partial<Record<RoleOption, boolean>> = {
    'canary-node': karpenter?.canaryNode !== undefined,
    'helm-releases': readinessOf(config, name).optional,
    'istio-helm': managedBy.istio === 'helm',
    'karpenter-helm': managedBy.karpenter === 'helm',
    scrapes,
    'mesh-scrapes': scrapes,
    'self-managed': nodeGroups?.selfManaged === 'refresh',
  };
  return ROLE_OPTIONS.filter((option) => used[option] === true || also.includes(option));
}
