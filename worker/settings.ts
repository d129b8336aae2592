/** What belay.yaml says about reaching a cluster, in the activities' words. */
import { dirname, isAbsolute, resolve } from 'node:path';
import type { ClusterSettings } from '../activities/ports.ts';
import { accessOf, type Config } from '../domain/config/config.ts';

/** A relative kubeconfig lies beside belay.yaml. Throws ConfigError for an unknown cluster. */
export function settingsOf(config: Config, clusterName: string): ClusterSettings {
  const { name, account, region, role, kubeconfig, context, prometheusUrl } = accessOf(config, clusterName);
  return {
    ref: { name, account, region },
    ...(role === undefined ? {} : { roleArn: role }),
    ...(kubeconfig === undefined ? {} : { kubeconfig: besideConfig(config, kubeconfig) }),
    ...(context === undefined ? {} : { context }),
    ...(prometheusUrl === undefined ? {} : { prometheusUrl }),
  };
}

/** A path as the file means it: relative to the file. */
export function besideConfig(config: Config, path: string): string {
  return isAbsolute(path) ? path : resolve(dirname(config.fileName), path);
}
