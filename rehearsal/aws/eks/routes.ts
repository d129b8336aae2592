/** EKS's REST paths and the operations behind them, as the service model names them. */
import type { World } from '../../world/world.ts';
import { describeAddonConfiguration } from './add-ons/add-on-configuration.ts';
import { describeAddonVersions } from './add-ons/add-on-versions.ts';
import { describeAddon, listAddons, updateAddon } from './add-ons/add-ons.ts';
import { updateClusterConfig } from './cluster/cluster-config.ts';
import { cancelUpdate, updateClusterVersion } from './cluster/cluster-version.ts';
import { describeCluster, describeClusterVersions, listClusters } from './cluster/clusters.ts';
import { AwsError } from './errors.ts';
import { describeCapability, describeFargateProfile, listCapabilities, listFargateProfiles } from './fargate-and-capabilities.ts';
import type { Call } from './http.ts';
import { describeInsight, describeInsightsRefresh, listInsights, startInsightsRefresh } from './cluster/insights.ts';
import { updateNodegroupConfig } from './nodes/node-group-config.ts';
import { createNodegroup, deleteNodegroup } from './nodes/node-group-life.ts';
import { describeNodegroup, listNodegroups, updateNodegroupVersion } from './nodes/node-groups.ts';
import { describePodIdentityAssociation, listPodIdentityAssociations } from './pod-identity.ts';
import { listTagsForResource, tagResource, untagResource } from './tags.ts';
import { describeUpdate, listUpdates } from './updates.ts';

type Operation = (world: World, call: Call) => Promise<Record<string, unknown>> | Record<string, unknown>;

/** `*` stands for one path parameter. */
const ROUTES: readonly [method: string, path: string, operation: Operation][] = [
  ['GET', '/clusters', listClusters],
  ['GET', '/clusters/*', describeCluster],
  ['GET', '/cluster-versions', describeClusterVersions],
  ['POST', '/clusters/*/updates', updateClusterVersion],
  ['POST', '/clusters/*/update-config', updateClusterConfig],
  ['GET', '/clusters/*/updates', listUpdates],
  ['GET', '/clusters/*/updates/*', describeUpdate],
  ['POST', '/clusters/*/updates/*/cancel-update', cancelUpdate],
  ['GET', '/clusters/*/node-groups', listNodegroups],
  ['POST', '/clusters/*/node-groups', createNodegroup],
  ['GET', '/clusters/*/node-groups/*', describeNodegroup],
  ['DELETE', '/clusters/*/node-groups/*', deleteNodegroup],
  ['POST', '/clusters/*/node-groups/*/update-version', updateNodegroupVersion],
  ['POST', '/clusters/*/node-groups/*/update-config', updateNodegroupConfig],
  ['GET', '/clusters/*/addons', listAddons],
  ['GET', '/clusters/*/addons/*', describeAddon],
  ['POST', '/clusters/*/addons/*/update', updateAddon],
  ['GET', '/addons/supported-versions', describeAddonVersions],
  ['GET', '/addons/configuration-schemas', describeAddonConfiguration],
  ['POST', '/clusters/*/insights-refresh', startInsightsRefresh],
  ['GET', '/clusters/*/insights-refresh', describeInsightsRefresh],
  ['POST', '/clusters/*/insights', listInsights],
  ['GET', '/clusters/*/insights/*', describeInsight],
  ['GET', '/clusters/*/fargate-profiles', listFargateProfiles],
  ['GET', '/clusters/*/fargate-profiles/*', describeFargateProfile],
  ['GET', '/clusters/*/pod-identity-associations', listPodIdentityAssociations],
  ['GET', '/clusters/*/pod-identity-associations/*', describePodIdentityAssociation],
  ['GET', '/clusters/*/capabilities', listCapabilities],
  ['GET', '/clusters/*/capabilities/*', describeCapability],
  ['GET', '/tags/*', listTagsForResource],
  ['POST', '/tags/*', tagResource],
  ['DELETE', '/tags/*', untagResource],
];

export interface FoundOperation {
  /** As IAM names it: eks:DescribeCluster. */
  action: string;
  run: (world: World, rest: Omit<Call, 'path'>) => Promise<Record<string, unknown>> | Record<string, unknown>;
}

/** Finds the operation of a request. Throws UnknownOperationException where the stand-in has none. */
export function eksOperation(method: string, pathname: string): FoundOperation {
  const asked = pathname.split('/').slice(1);
  for (const [wantedMethod, pattern, operation] of ROUTES) {
    const wanted = pattern.split('/').slice(1);
    if (wantedMethod !== method || wanted.length !== asked.length) continue;
    if (!wanted.every((segment, index) => segment === '*' || segment === asked[index])) continue;
    const path = asked.filter((_, index) => wanted[index] === '*').map(decodeURIComponent);
    // The functions are called as the operations that they are.
    const action = `eks:${operation.name.charAt(0).toUpperCase()}${operation.name.slice(1)}`;
    return { action, run: (world, rest) => operation(world, { ...rest, path }) };
  }
  throw new AwsError(404, 'UnknownOperationException', `The stand-in has no EKS operation for ${method} ${pathname}.`);
}
