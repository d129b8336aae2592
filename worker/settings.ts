/** What belay.yaml says about reaching a cluster, in the activities' words. */
import { dirname, isAbsolute, resolve } from 'node:path';
import type { ClusterSettings } from '../activities/ports.ts';
import { accessOf, type Config, policyOf } from '../domain/config/config.ts';
import type { UpgradePolicy } from '../domain/policy.ts';

/** A relative kubeconfig lies beside belay.yaml. Throws ConfigError for an unknown cluster. */
export function settingsOf(config: Config, clusterName: string): ClusterSettings {
  const { name, account, region, role, kubeconfig, context, prometheusUrl } = accessOf(config, clusterName);
  return {
    ref: { name, account, region },
    roleArn: role,
    kubeconfig: kubeconfig === undefined ? undefined : besideConfig(config, kubeconfig),
    context,
    prometheusUrl,
  };
}

/** The cluster's policy, with the chart's path (./… or ../…) as the file means it. Throws ConfigError for an unknown cluster. */
export function localPolicyOf(config: Config, clusterName: string): UpgradePolicy {
  const policy = policyOf(config, clusterName);
  const { chart } = policy.istio;
  if (chart === undefined || !/^\.{1,2}\//.test(chart)) return policy;
  return { ...policy, istio: { ...policy.istio, chart: besideConfig(config, chart) } };
}

/** A path as the file means it: relative to the file. */
export function besideConfig(config: Config, path: string): string {
  return isAbsolute(path) ? path : resolve(dirname(config.fileName), path);
}
