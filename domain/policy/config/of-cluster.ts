/** What belay.yaml says of one cluster: its policy, how it is reached, its target, its readiness settings. */
import { type ClusterRef, differencesOf } from '../../core/cluster-ref.ts';
import type { CampaignPolicy } from '../campaigns.ts';
import { NO_SLACK, type UpgradePolicy } from '../policy.ts';
import type { ReadinessSettings } from '../../readiness/model/settings.ts';
import { undecidable } from './sections/approvals.ts';
import { undecidableWithoutSlack } from './without-slack.ts';
import { ConfigError } from './base/errors.ts';
import { nearest } from './base/nearest.ts';
import type { ClusterAccess, ClusterConfig, Config } from './config.ts';

/** What a run of this cluster is bound to. Throws ConfigError for a cluster that the file does not name. */
export function policyOf(config: Config, clusterName: string): UpgradePolicy {
  return known(config, clusterName).policy;
}

/** Where the cluster is. Throws ConfigError for a cluster that the file does not name. */
export function accessOf(config: Config, clusterName: string): ClusterAccess {
  return known(config, clusterName).access;
}

/** The version to upgrade to where a command names none. */
export function defaultTarget(config: Config, clusterName: string): string | undefined {
  return known(config, clusterName).target;
}

/** The file's key of the cluster at this place: by account, region and EKS's name, whatever either side calls it. */
export function keyOfCluster({ clusters }: Config, cluster: ClusterRef): string | undefined {
  return [...clusters].find(([, { policy }]) => differencesOf(policy.cluster, cluster).length === 0)?.[0];
}

/** How its readiness is judged; waivers of `defaults` included. */
export function readinessOf(config: Config, clusterName: string): ReadinessSettings {
  return known(config, clusterName).readiness;
}

/** Throws ConfigError where the file names approvers whom nobody can look up: no run is to begin by it, of whatever cluster. */
export function refuseToStart({ fileName, unreadableGroups }: Pick<Config, 'fileName' | 'unreadableGroups'>): void {
  if (unreadableGroups.length > 0) throw new ConfigError(fileName, [...unreadableGroups]);
}

/** Like policyOf, for starting a run: refuses where nobody could decide or nobody would hear of it. */
export function policyForStart(config: Config, clusterName: string): UpgradePolicy {
  refuseToStart(config);
  const policy = policyOf(config, clusterName);
  const problem = undecidable(policy.approvals);
  if (problem !== undefined) throw new ConfigError(config.fileName, [problem]);
  const alone = policy.channel === NO_SLACK ? undecidableWithoutSlack(policy.approvals, policy.people) : undefined;
  if (alone !== undefined) throw new ConfigError(config.fileName, [alone]);
  if (policy.channel === undefined) {
    const message = 'is missing, so nobody would see the upgrade and none is started; write a channel id such as C012AB3CD';
    throw new ConfigError(config.fileName, [{ path: 'slack.channel', message }]);
  }
  return policy;
}

/** The networks that the file names, in its order, each with its clusters. */
export function networksOf(config: Config): ReadonlyMap<string, string[]> {
  const networks = new Map<string, string[]>();
  for (const [name, { access }] of config.clusters)
    if (access.network !== undefined) networks.set(access.network, [...(networks.get(access.network) ?? []), name]);
  return networks;
}

export function known(config: Config, clusterName: string): ClusterConfig {
  const cluster = config.clusters.get(clusterName);
  if (cluster !== undefined) return cluster;
  const close = nearest(clusterName, config.clusterNames);
  const hint =
    close === undefined
      ? `there are: ${config.clusterNames.join(', ')}`
      : `did you mean "${close}"? There are: ${config.clusterNames.join(', ')}`;
  throw new ConfigError(config.fileName, [{ path: '', message: `no cluster "${clusterName}"; ${hint}` }]);
}

/** Throws ConfigError for a campaign that the file does not name. */
export function campaignOf({ campaigns, fileName }: Config, name: string): CampaignPolicy {
  const campaign = campaigns.get(name);
  if (campaign !== undefined) return campaign;
  const names = [...campaigns.keys()];
  const close = nearest(name, names);
  const hint = close === undefined ? '' : `did you mean "${close}"? `;
  const there =
    names.length === 0 ? 'the file has none; docs/operate/campaigns.md shows how to write one' : `there are: ${names.join(', ')}`;
  throw new ConfigError(fileName, [{ path: 'campaigns', message: `no campaign "${name}"; ${hint}${there}` }]);
}
