/** Readiness of a cluster: the evidence gathered, then judged. `belay check` and the pre-checks of an upgrade both stand on it. */
import type { ClusterRef } from '../../domain/facts.ts';
import type { UpgradePolicy } from '../../domain/policy.ts';
import { CATALOGUE } from '../../domain/readiness/catalogue.ts';
import type { Check } from '../../domain/readiness/check.ts';
import { type ReadinessReport, reportReadiness } from '../../domain/readiness/report.ts';
import type { ReadinessSettings } from '../../domain/readiness/settings.ts';
import type { SourceId } from '../../domain/readiness/sources.ts';
import { type KubernetesVersion, minorsBetween } from '../../domain/version.ts';
import type { AccountClients } from '../clients/aws-account.ts';
import type { ClusterDeps } from '../clients/clusters.ts';
import { gatherEvidence } from './gather.ts';
import type { Weather } from './seen.ts';

export interface ReadinessDeps extends ClusterDeps {
  account(cluster: ClusterRef): AccountClients;
}

export interface Judging {
  policy: Pick<UpgradePolicy, 'cluster' | 'environment' | 'managedBy' | 'timing'>;
  settings: ReadinessSettings;
  from: KubernetesVersion;
  target: KubernetesVersion;
  /** Default: the whole catalogue. */
  checks?: readonly Check[];
  weather: Weather;
  /** Only what concerns this namespace. */
  namespace?: string;
  /** A source was read, or could not be. */
  onRead?: (id: SourceId) => void;
}

/** Reads only. Throws where the cluster itself cannot be described, and weather where that is wanted. */
export async function judgeReadiness(deps: ReadinessDeps, judging: Judging): Promise<ReadinessReport> {
  const { policy, settings, from, target, checks = CATALOGUE, weather, namespace, onRead } = judging;
  const { cluster, environment, managedBy, timing } = policy;
  const aws = deps.aws(cluster);
  const { kubernetes } = await deps.clusterPorts(cluster);
  const evidence = await gatherEvidence({
    aws,
    account: deps.account(cluster),
    kubernetes,
    ref: cluster,
    timing,
    target,
    checks,
    optional: settings.optional,
    weather,
    ...(onRead === undefined ? {} : { onRead }),
  });
  const hops = minorsBetween(from, target).slice(1);
  const now = aws.eksDate() ?? new Date().toISOString();
  return reportReadiness({
    cluster,
    checks,
    evidence,
    context: { from, target, hops, now, environment, managedBy },
    waivers: settings.waivers,
    ...(namespace === undefined ? {} : { namespace }),
  });
}
