/** What belay.yaml says about reaching a cluster, in the activities' words. */
import { dirname, isAbsolute, resolve } from 'node:path';
import type { ClusterSettings, HttpConnection, PrometheusConnection } from '../../activities/contract/ports.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import type { HttpAccess, PrometheusAccess } from '../../domain/policy/config/health/prometheus.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { proxyOf } from './proxy.ts';
import { accessOf, policyOf } from '../../domain/policy/config/of-cluster.ts';
import { defined } from '../../domain/core/defined.ts';

/** A relative kubeconfig lies beside belay.yaml. Throws ConfigError for an unknown cluster. */
export function settingsOf(config: Config, clusterName: string): ClusterSettings {
  const access = accessOf(config, clusterName);
  const { name, account, region, network, eksName, role, writeRole, sessionTags, externalId, kubeconfig, context, tunnel, prometheus } =
    access;
  return {
    ref: { name, account, region, ...defined({ eksName, network }) },
    roleArn: role,
    writeRoleArn: writeRole,
    sessionTags,
    externalId,
    proxy: proxyOf(process.env),
    kubeconfig: kubeconfig === undefined ? undefined : besideConfig(config, kubeconfig),
    context,
    ...defined({ tunnel }),
    prometheus: prometheus === undefined ? undefined : connectionOf(prometheus),
  };
}

function connectionOf({ alertmanager, matchers, ...own }: PrometheusAccess): PrometheusConnection {
  return {
    ...withToken(own, 'prometheus'),
    ...defined({ matchers }),
    ...(alertmanager === undefined ? {} : { alertmanager: withToken(alertmanager, 'prometheus.alertmanager') }),
  };
}

/** The bearer token is read once, when the clients are built. Throws where the variable is not set. */
function withToken({ bearerTokenFrom, ...rest }: HttpAccess, path: string): HttpConnection {
  if (bearerTokenFrom === undefined) return rest;
  const token = process.env[bearerTokenFrom];
  if (token === undefined || token === '')
    throw new Error(`${path}.bearerTokenFrom names ${bearerTokenFrom}, which is not set in this environment; set it to a bearer token`);
  return { ...rest, bearerToken: token };
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
