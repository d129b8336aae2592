/** Everything that readiness reads of EKS and of the account around it. Each source by itself: what one may not see, others still do. */
import {
  type Cluster,
  DescribeFargateProfileCommand,
  type FargateProfile,
  type Nodegroup,
  paginateListFargateProfiles,
} from '@aws-sdk/client-eks';
import type { Evidence, Instance, Seen, Shape } from '../../../../domain/readiness/model/evidence.ts';
import type { SourceId } from '../../../../domain/readiness/model/sources.ts';
import type { Timing } from '../../../../domain/policy/policy.ts';
import { formatKubernetesVersion, type KubernetesVersion, minorsBetween, tryKubernetesVersion } from '../../../../domain/core/version.ts';
import type { AwsClients } from '../../../clients/aws/clients.ts';
import type { AccountClients } from '../../../clients/aws/account-clients.ts';
import { currentSignal } from '../../../runtime/context.ts';
import { describeNodegroup } from '../../../clients/aws/eks-api.ts';
import { runningUpdates } from '../../../eks/updates/find-update.ts';
import { healthIssues } from '../../../eks/updates/resource-state.ts';
import { readAddOns } from '../../inspect/add-ons.ts';
import { listNodegroupNames, nodeGroupFact, readSupportedVersions } from '../../inspect/eks.ts';
import { createReader, type Reader } from '../../../runtime/reader.ts';
import { NODES, slimNode } from '../../../kubernetes/objects/lists.ts';
import { instanceOfNode } from '../../../kubernetes/objects/node-owner.ts';
import { EC2_NODE_CLASSES } from '../../../karpenter/objects/node-pools.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';
import { readClusterRole, readEncryptionKey, readLaunchTemplates, readSecurityGroups, readSubnets } from './account.ts';
import { readOtherInstanceQuotas, readQuotas, runningVcpus } from './quotas.ts';
import { readAmiBuilds } from '../../../karpenter/amis/ami-builds.ts';
import { readAddOnConfigurations } from './add-on-configuration.ts';
import { someAtOnce } from '../../../runtime/in-batches.ts';
import { readAllInsights } from './insights.ts';
import { refuseBlindness, see, SWITCHED_OFF, type OnTransient, transientByAttempt } from '../../../runtime/see.ts';
import { type ClusterRef, eksNameOf } from '../../../../domain/core/cluster-ref.ts';
import { given } from '../../../runtime/given.ts';

export type EksSource = Extract<
  SourceId,
  | 'cluster'
  | 'versions'
  | 'updates'
  | 'insights'
  | 'nodeGroups'
  | 'fargateProfiles'
  | 'addOns'
  | 'addOnConfiguration'
  | 'subnets'
  | 'securityGroups'
  | 'launchTemplates'
  | 'clusterRole'
  | 'encryptionKey'
  | 'quotas'
  | 'instanceQuotas'
  | 'amiBuilds'
>;

export interface EksReading {
  aws: AwsClients;
  account: AccountClients;
  kubernetes: KubernetesPort;
  ref: ClusterRef;
  /** As EKS describes it. What does not need that does not wait for it. */
  described: Promise<Cluster>;
  timing: Timing;
  target: KubernetesVersion;
  wanted: ReadonlySet<SourceId>;
  onTransient: OnTransient;
  /** Said when a source was read, or could not be. */
  onRead?: (id: SourceId, seen: Seen<unknown>) => void;
}

/** What lies around EKS. A worker may have no way to these services at all, which looks like a transient failure. */
const AROUND: ReadonlySet<SourceId> = new Set([
  'subnets',
  'securityGroups',
  'launchTemplates',
  'clusterRole',
  'encryptionKey',
  'quotas',
  'instanceQuotas',
  'amiBuilds',
] satisfies EksSource[]);

/** Reads the wanted sources; what is not wanted is unseen. Throws on transient failures where that is wanted, and on a wrong setting. */
export async function readEksSide(reading: EksReading): Promise<Pick<Evidence, EksSource>> {
  const { aws, account, ref, described, wanted, onTransient, onRead } = reading;
  const read = async <S extends EksSource>(id: S, doing: string, look: () => Promise<Shape<S>>): Promise<[S, Evidence[EksSource]]> => {
    if (!wanted.has(id)) return [id, SWITCHED_OFF];
    const seen = await see(`${doing} of ${ref.name}`, look, onTransient === 'throw' && AROUND.has(id) ? transientByAttempt() : onTransient);
    onRead?.(id, seen);
    return [id, seen as Evidence[EksSource]];
  };
  const groups = once(() => describeNodegroups(aws, ref));
  const profiles = once(() => describeFargateProfiles(aws, ref));
  const autoMode = described.then(({ computeConfig }) => computeConfig?.enabled ?? false);
  const addOns = once(() => strictly((reader) => readAddOns({ aws, ref, kubernetes: reading.kubernetes, reader, autoMode })));
  const region = { clients: account, counted: once(async () => runningVcpus((await account.ec2()).describeInstances)) };
  const all = await Promise.all([
    // First: volumes come in long answers, one after the other.
    read('quotas', 'reading the quotas', () => readQuotas(region)),
    read('instanceQuotas', 'reading the quotas for instances', async () => readOtherInstanceQuotas(region, await instancesOf(reading))),
    read('cluster', 'reading the settings', async () => clusterSeen(await described)),
    read('amiBuilds', 'looking up the AMIs', async () =>
      readAmiBuilds(account, reading.kubernetes, minorsAhead(await described, reading.target)),
    ),
    read('versions', 'reading the Kubernetes versions', () => strictly((reader) => readSupportedVersions(aws, reader))),
    read('updates', 'reading the updates', () => readUpdates(aws, ref)),
    // Has EKS look anew where it may: not before it is known that the cluster has a way to go.
    read('insights', 'reading the insights', async () => {
      await described;
      return await readAllInsights(reading);
    }),
    read('nodeGroups', 'reading the node groups', async () => (await groups()).map(nodeGroupFact)),
    read('fargateProfiles', 'reading the Fargate profiles', async () => (await profiles()).map(profileSeen)),
    read('addOns', 'reading the add-ons', addOns),
    read('addOnConfiguration', 'reading add-on configurations', async () => readAddOnConfigurations(reading, await addOns())),
    read('subnets', 'reading the subnets', async () =>
      readSubnets(account, await subnetUses(reading, await described, await groups(), await profiles())),
    ),
    read('securityGroups', 'reading the security groups', async () => readSecurityGroups(account, await described)),
    read('launchTemplates', 'reading the launch templates', async () => readLaunchTemplates(account, eksNameOf(ref), await groups())),
    read('clusterRole', 'reading the IAM role', async () => readClusterRole(account, await described)),
    read('encryptionKey', 'reading the KMS key', async () => readEncryptionKey(account, await described)),
  ]);
  return Object.fromEntries(all) as Pick<Evidence, EksSource>;
}

/** Every minor on the way from the cluster's own, which is left out. */
function minorsAhead({ version = '' }: Cluster, target: KubernetesVersion): string[] {
  const from = tryKubernetesVersion(version);
  return from === undefined ? [] : minorsBetween(from, target).slice(1).map(formatKubernetesVersion);
}

/** Of its nodes. */
async function instancesOf({ kubernetes }: EksReading): Promise<Instance[]> {
  const nodes = (await kubernetes.list(NODES, slimNode)) ?? [];
  return nodes.flatMap((node) => instanceOfNode(node) ?? []);
}

/** The same reading for all who ask. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => (reading ??= read());
}

/** A reading of which every part has to be seen: half of it would read as if all were well. */
async function strictly<T>(read: (reader: Reader) => Promise<T>): Promise<T> {
  const reader = createReader('throw');
  const value = await read(reader);
  refuseBlindness(reader.unknowns);
  return value;
}

function clusterSeen(cluster: Cluster): Shape<'cluster'> {
  const enabled = (cluster.logging?.clusterLogging ?? []).filter((each) => each.enabled === true);
  return {
    status: cluster.status ?? 'unknown',
    createdAt: cluster.createdAt?.toISOString() ?? '',
    supportType: cluster.upgradePolicy?.supportType ?? 'EXTENDED',
    authenticationMode: cluster.accessConfig?.authenticationMode ?? 'CONFIG_MAP',
    logging: enabled.flatMap(({ types = [] }) => types),
    autoMode: cluster.computeConfig?.enabled ?? false,
    role: cluster.roleArn ?? '',
    securityGroups: cluster.resourcesVpcConfig?.securityGroupIds ?? [],
    healthIssues: healthIssues(cluster.health?.issues),
    ...given('encryptionKey', cluster.encryptionConfig?.[0]?.provider?.keyArn),
  };
}

async function readUpdates(aws: AwsClients, ref: ClusterRef): Promise<Shape<'updates'>> {
  const running = await runningUpdates(aws, ref, { kind: 'cluster' });
  return running.map(({ id = '', type = 'unknown' }) => ({ id, type, resource: ref.name }));
}

async function describeNodegroups(aws: AwsClients, ref: ClusterRef): Promise<Nodegroup[]> {
  return someAtOnce(await listNodegroupNames(aws, ref), (name) => describeNodegroup(aws, ref, name));
}

async function describeFargateProfiles(aws: AwsClients, ref: ClusterRef): Promise<FargateProfile[]> {
  const names: string[] = [];
  const pages = paginateListFargateProfiles({ client: aws.eks }, { clusterName: ref.name }, { abortSignal: currentSignal() });
  for await (const { fargateProfileNames = [] } of pages) names.push(...fargateProfileNames);
  return someAtOnce(names, async (name) => {
    const command = new DescribeFargateProfileCommand({ clusterName: ref.name, fargateProfileName: name });
    const { fargateProfile } = await aws.eks.send(command, { abortSignal: currentSignal() });
    return fargateProfile ?? { fargateProfileName: name };
  });
}

const profileSeen = ({ fargateProfileName = '', status }: FargateProfile): Shape<'fargateProfiles'>[number] => ({
  name: fargateProfileName,
  status: status ?? 'unknown',
});

/** Subnets of pods are those of ENIConfigs (VPC CNI, custom networking). */
async function subnetUses(
  { kubernetes }: EksReading,
  cluster: Cluster,
  groups: readonly Nodegroup[],
  profiles: readonly FargateProfile[],
): Promise<Record<'cluster' | 'nodes' | 'pods', string[]>> {
  const [configs, classes] = await Promise.all([
    kubernetes.list<KubeObject<{ subnet?: string }>>({ apiVersion: 'crd.k8s.amazonaws.com/v1alpha1', plural: 'eniconfigs' }),
    kubernetes.list<KubeObject<unknown, { subnets?: { id?: string }[] }>>(EC2_NODE_CLASSES),
  ]);
  return {
    cluster: cluster.resourcesVpcConfig?.subnetIds ?? [],
    nodes: [
      ...groups.flatMap(({ subnets = [] }) => subnets),
      ...profiles.flatMap(({ subnets = [] }) => subnets),
      ...(classes ?? []).flatMap(({ status }) => (status?.subnets ?? []).flatMap(({ id }) => id ?? [])),
    ],
    pods: (configs ?? []).flatMap(({ spec }) => spec?.subnet ?? []),
  };
}
