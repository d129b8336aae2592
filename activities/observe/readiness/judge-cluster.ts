/** One readiness check from the first read to the report: what `belay check`, the check in Slack and the pre-checks of an upgrade all run. */
import type { Cluster } from '@aws-sdk/client-eks';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { reportReadiness, type ReadinessReport, selectChecks, type Selection } from '../../../domain/readiness/report.ts';
import type { ReadinessSettings } from '../../../domain/readiness/model/settings.ts';
import { judgeAsSeen } from '../../../domain/readiness/as-seen.ts';
import type { SourceId } from '../../../domain/readiness/model/sources.ts';
import type { KubernetesVersion } from '../../../domain/core/version.ts';
import { compareKubernetesVersions, formatKubernetesVersion, minorsBetween, parseKubernetesVersion } from '../../../domain/core/version.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { startGathering } from './gather.ts';
import { refuseUnknownNamespace } from './known-namespace.ts';
import type { OnTransient } from '../../runtime/see.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface Judging extends Selection, ReadinessSettings {
  aws: AwsClients;
  account: AccountClients;
  kubernetes: KubernetesPort;
  policy: Pick<UpgradePolicy, 'cluster' | 'timing' | 'environment' | 'managedBy'>;
  /** As it was just described. Absent: it is described. */
  described?: Cluster;
  /** "1.33": where the way to the target begins. Default: where the control plane is. */
  from?: string;
  /** "1.34" */
  target: string;
  /** Default: `unknown`. */
  onTransient?: OnTransient;
  /** Only what concerns this namespace. */
  namespace?: string;
  /** A source was read, or could not be. */
  onRead?: (id: SourceId) => void;
}

/**
 * Reads only. Throws where the cluster itself cannot be described, where it is at the target or ahead of it, where it has no such namespace, and on
 * transient failures where that is wanted.
 */
export async function judgeCluster(judging: Judging): Promise<ReadinessReport> {
  const { aws, account, kubernetes, policy, waivers, optional, withoutFile, onTransient = 'unknown', namespace, onRead } = judging;
  const { cluster: ref, timing, environment, managedBy } = policy;
  const target = parseKubernetesVersion(judging.target);
  const checks = selectChecks(CATALOGUE, judging);
  const reading = { aws, account, kubernetes, ref, timing, target, checks, optional, onTransient };
  const judge = judgeAsSeen(checks);
  const gather = startGathering({
    ...reading,
    onRead: (id, seen) => {
      onRead?.(id);
      judge.seen(id, seen);
    },
  });
  const cluster = judging.described ?? (await describeCluster(aws, ref));
  const from = parseKubernetesVersion(judging.from ?? cluster.version ?? '');
  // A step that is retried says where its hop began: the control plane may have moved since.
  if (judging.from === undefined && compareKubernetesVersions(from, target) >= 0) throw nothingAhead(ref.name, from, target);
  if (namespace !== undefined) await refuseUnknownNamespace(kubernetes, ref.name, namespace);
  const hops = minorsBetween(from, target).slice(1);
  const now = aws.eksDate() ?? new Date().toISOString();
  const context = { from, target, hops, now, environment, managedBy, ...defined({ withoutFile }) };
  judge.begin(context);
  const evidence = await gather(cluster);
  const judged = { cluster: ref, checks, catalogueCount: CATALOGUE.length, evidence, context, waivers, run: judge.run };
  return reportReadiness({ ...judged, ...defined({ namespace }) });
}

/** A report of no hop would call the cluster ready for what it is not going to do. */
function nothingAhead(cluster: string, at: KubernetesVersion, target: KubernetesVersion): Error {
  const [here, wanted] = [formatKubernetesVersion(at), formatKubernetesVersion(target)];
  const why = here === wanted ? `already at ${here}` : `at ${here}, newer than ${wanted}; going back is a rollback`;
  return failureOf('InvalidRequest', `checking ${cluster}: its control plane is ${why}. Name a newer version.`);
}
