/** What belay.yaml says about reaching a cluster, in the activities' words. */
import { dirname, isAbsolute, resolve } from 'node:path';
import type { ClusterSettings } from '../activities/ports.ts';
import { accessOf, type Config, policyOf } from '../domain/config/config.ts';
import type { UpgradePolicy } from '../domain/policy.ts';

/** A relative kubeconfig lies beside belay.yaml. Throws ConfigError for an unknown cluster. */
export function settingsOf(config: Config, clusterName: string): ClusterSettings {
  const { name, account, region, role, writeRole, sessionTags, kubeconfig, context, prometheusUrl } = accessOf(config, clusterName);
  return {
    ref: { name, account, region },
    roleArn: role,
    writeRoleArn: writeRole,
    sessionTags,
    kubeconfig: kubeconfig === undefined ? undefined : besideConfig(config, kubeconfig),
    context,
    prometheusUrl,
  };
}

/** The cluster's policy, with the charts' paths (./… or ../…) as the file means them. Throws ConfigError for an unknown cluster. */
export function localPolicyOf(config: Config, clusterName: string): UpgradePolicy {
  const policy = policyOf(config, clusterName);
  const { istio, karpenter } = policy;
  const local = (location: string | undefined): string | undefined =>
    location !== undefined && /^\.{1,2}\//.test(location) ? besideConfig(config, location) : location;
  return {
    ...policy,
    istio: { ...istio, chart: local(istio.chart) },
    karpenter: { ...karpenter, chart: local(karpenter.chart), crdChart: local(karpenter.crdChart) },
  };
}

/** A path as the file means it: relative to the file. */
export function besideConfig(config: Config, path: string): string {
  return isAbsolute(path) ? path : resolve(dirname(config.fileName), path);
}
