/** What of Belay a cluster of belay.yaml uses, as far as rights go. */
import type { Config } from '../config/config.ts';
import { ROLE_OPTIONS, type RoleOption } from './options.ts';
import { accessOf, policyOf, readinessOf } from '../config/of-cluster.ts';
import type { AwsUse, ClusterPlace } from './iam-use.ts';
import { eksNameOf } from '../../core/cluster-ref.ts';

/** What the command line adds to belay.yaml. */
export interface Named {
  addOnRoles: readonly string[];
  nodeRoles: readonly string[];
  launchTemplates: readonly string[];
  also: readonly RoleOption[];
}

export function placeOf(config: Config, name: string): ClusterPlace {
  const access = accessOf(config, name);
  return { name: eksNameOf(access), region: access.region, account: access.account };
}

export function awsUseOf(config: Config, name: string, { addOnRoles, nodeRoles, launchTemplates, also }: Named): AwsUse {
  const { managedBy, nodeGroups, controlPlane } = policyOf(config, name);
  return {
    controlPlane: managedBy.controlPlane === 'eks',
    nodeGroups: managedBy.nodeGroups === 'eks',
    addOns: managedBy.addOns === 'eks',
    logging: controlPlane.logging.length > 0,
    selfManaged: nodeGroups.selfManaged === 'refresh',
    migration: also.includes('karpenter-migration'),
    amazonPrometheus: accessOf(config, name).prometheus?.sigv4 !== undefined,
    addOnRoles,
    nodeRoles,
    launchTemplates,
  };
}

/** Optional roles, in the order of their files. */
export function roleOptionsOf(config: Config, name: string, also: readonly RoleOption[]): RoleOption[] {
  const { managedBy, karpenter, nodeGroups, health } = policyOf(config, name);
  const { holdAmis, promoteFrom, amis } = karpenter;
  const scrapes = health?.checks.some(({ scrape }) => scrape !== undefined) === true;
  const used: Partial<Record<RoleOption, boolean>> = {
    'canary-node': karpenter.canaryNode !== undefined,
    gitops: [managedBy.karpenter, managedBy.istio].some((by) => by === 'flux' || by === 'argocd'),
    'helm-releases': readinessOf(config, name).optional,
    // Said, not taken for granted: `manual` is also what belay.yaml says of a cluster without a mesh.
    istio: managedBy.istio !== 'manual',
    'istio-helm': managedBy.istio === 'helm',
    'karpenter-helm': managedBy.karpenter === 'helm',
    'mesh-scrapes': scrapes,
    'node-classes': holdAmis === true || promoteFrom !== undefined || Object.keys(amis ?? {}).length > 0,
    scrapes,
    'self-managed': nodeGroups.selfManaged === 'refresh',
  };
  return ROLE_OPTIONS.filter((option) => used[option] === true || also.includes(option));
}
