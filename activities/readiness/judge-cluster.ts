/** One readiness check from the first read to the report: what `belay check` and the worker's activity both run. */
import type { UpgradePolicy } from '../../domain/policy.ts';
import { CATALOGUE } from '../../domain/readiness/catalogue.ts';
import { reportReadiness, type ReadinessReport, selectChecks, type Selection } from '../../domain/readiness/report.ts';
import type { SourceId } from '../../domain/readiness/sources.ts';
import type { Waiver } from '../../domain/readiness/waivers.ts';
import { minorsBetween, parseKubernetesVersion } from '../../domain/version.ts';
import type { AwsClients } from '../clients/aws.ts';
import type { AccountClients } from '../clients/aws-account.ts';
import { describeCluster } from '../eks/api.ts';
import type { KubernetesPort } from '../ports.ts';
import { gatherEvidence } from './gather.ts';

export interface Judging extends Selection {
  aws: AwsClients;
  account: AccountClients;
  kubernetes: KubernetesPort;
  policy: Pick<UpgradePolicy, 'cluster' | 'timing' | 'environment' | 'managedBy'>;
  /** "1.34" */
  target: string;
  waivers: readonly Waiver[];
  /** Only what concerns this namespace. */
  namespace?: string;
  /** A source was read, or could not be. */
  onRead?: (id: SourceId) => void;
}

/** Reads only. Throws where the cluster itself cannot be described. */
export async function judgeCluster(judging: Judging): Promise<ReadinessReport> {
  const { aws, account, kubernetes, policy, waivers, namespace, onRead } = judging;
  const { cluster: ref, timing, environment, managedBy } = policy;
  const { version = '' } = await describeCluster(aws, ref);
  const [from, target] = [parseKubernetesVersion(version), parseKubernetesVersion(judging.target)];
  const checks = selectChecks(CATALOGUE, judging);
  const reading = { aws, account, kubernetes, ref, timing, target, checks };
  const evidence = await gatherEvidence({ ...reading, ...(onRead === undefined ? {} : { onRead }) });
  const hops = minorsBetween(from, target).slice(1);
  const context = { from, target, hops, now: aws.eksDate() ?? new Date().toISOString(), environment, managedBy };
  return reportReadiness({ cluster: ref, checks, evidence, context, waivers, ...(namespace === undefined ? {} : { namespace }) });
}
