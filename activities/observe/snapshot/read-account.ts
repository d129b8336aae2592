/** Asks AWS for everything that a plan to any minor on offer, and the checks for it, would ask. The answers are what the recorder keeps. */
import type { SnapshotGap } from '../../../domain/facts/snapshot/format.ts';
import { gapOf } from './gap.ts';
import type { Timing } from '../../../domain/policy/policy.ts';
import { type SourceId, SOURCES } from '../../../domain/readiness/model/sources.ts';
import type { Seen } from '../../../domain/readiness/model/evidence.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import {
  compareKubernetesVersions,
  formatKubernetesVersion,
  type KubernetesVersion,
  parseKubernetesVersion,
  tryKubernetesVersion,
} from '../../../domain/core/version.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { readAmiBuilds } from '../../karpenter/amis/ami-builds.ts';
import { see } from '../../runtime/see.ts';
import { listOfferedVersions } from '../inspect/eks.ts';
import { type EksSource, readEksSide } from '../readiness/aws/aws-evidence.ts';

/** In the order in which they are said. */
export const ACCOUNT_SOURCES: readonly EksSource[] = [
  'cluster',
  'versions',
  'updates',
  'insights',
  'nodeGroups',
  'fargateProfiles',
  'addOns',
  'addOnConfiguration',
  'subnets',
  'securityGroups',
  'launchTemplates',
  'clusterRole',
  'encryptionKey',
  'quotas',
  'instanceQuotas',
  'amiBuilds',
];

export interface AccountReading {
  aws: AwsClients;
  account: AccountClients;
  kubernetes: KubernetesPort;
  ref: ClusterRef;
  timing: Timing;
  /** Of AMIs that belay.yaml names beside those of the cluster's own node classes. */
  aliases: readonly string[];
  onRead?: (id: SourceId) => void;
}

/** What could not be read. Throws where the cluster itself cannot be described. */
export async function readAccount({ aliases, onRead, ...reading }: AccountReading): Promise<SnapshotGap[]> {
  const { aws, account, kubernetes, ref } = reading;
  const cluster = await describeCluster(aws, ref);
  const from = parseKubernetesVersion(cluster.version ?? '');
  const minors = await minorsAhead(aws, from);
  const side = async (target: KubernetesVersion, wanted: readonly EksSource[], said?: (id: SourceId) => void): Promise<SnapshotGap[]> => {
    const seen = await readEksSide({
      ...reading,
      described: Promise.resolve(cluster),
      target,
      wanted: new Set<SourceId>(wanted),
      onTransient: 'unknown',
      ...(said === undefined ? {} : { onRead: said }),
    });
    return wanted.flatMap((id) => gapsOf(SOURCES[id].what, seen[id]));
  };
  const [next = from, ...later] = minors;
  const gaps = await side(next, ACCOUNT_SOURCES, onRead);
  // Of add-ons each minor has a version of its own by default, and that its own configuration.
  for (const minor of later) gaps.push(...(await side(minor, ['addOnConfiguration'])));
  const named = [from, ...minors].map(formatKubernetesVersion);
  const builds = await see('looking up AMIs', () => readAmiBuilds(account, kubernetes, named, aliases));
  return unique([...gaps, ...gapsOf(SOURCES.amiBuilds.what, builds)]);
}

/** Those that EKS offers, after the cluster's own. That they could not be read is said by the source of versions. */
async function minorsAhead(aws: AwsClients, from: KubernetesVersion): Promise<KubernetesVersion[]> {
  const offered = await see('reading the Kubernetes versions', () => listOfferedVersions(aws));
  if (!offered.ok) return [];
  const known = offered.value.flatMap(({ version }) => tryKubernetesVersion(version) ?? []);
  return known.filter((each) => compareKubernetesVersions(each, from) > 0).toSorted(compareKubernetesVersions);
}

const gapsOf = (what: string, seen: Seen<unknown>): SnapshotGap[] => (seen.ok ? [] : [gapOf(what, seen.unseen)]);

const unique = (gaps: readonly SnapshotGap[]): SnapshotGap[] => [...new Map(gaps.map((gap) => [gap.what, gap])).values()];
