/** What AWS and the clusters say about themselves: the material of a first belay.yaml. */
import { type Cluster, DescribeClusterCommand, EKSClient, ListClustersCommand } from '@aws-sdk/client-eks';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { awsClientConfig } from '../../activities/clients/aws/clients.ts';
import { createClusterClients } from '../../activities/clients/clusters.ts';
import { deliveredBy } from '../../activities/kubernetes/gitops/owner-marks.ts';
import type { KubeObject, KubernetesPort } from '../../activities/contract/ports.ts';
import { nameOf } from '../../activities/clients/kubernetes/objects.ts';
import { someAtOnce } from '../../activities/runtime/in-batches.ts';
import { translateError } from '../../activities/runtime/translate-errors.ts';
import { someOf } from '../../domain/core/text.ts';
import type { ManagedBy } from '../../domain/facts/facts.ts';
import { runningDeployments } from '../../domain/facts/running-deployments.ts';
import { proxyOf } from '../config/proxy.ts';

type Deployment = KubeObject<{ replicas?: number }>;

export interface DiscoveredComponent {
  /** From the labels and annotations of its Deployment; undefined: they do not say. */
  managedBy?: Exclude<ManagedBy, 'eks'>;
  /** What the guess rests on. */
  because: string;
}

export interface DiscoveredCluster {
  name: string;
  region: string;
  account: string;
  version: string;
  /** From tags such as terraform=true or ManagedBy; undefined: they do not say. */
  controlPlane?: { managedBy: ManagedBy; because: string };
  karpenter?: DiscoveredComponent;
  istio?: DiscoveredComponent;
  /** Why the inside of the cluster could not be read. */
  unreadable?: string;
}

/** Throws an error in our words where AWS cannot be asked. */
export async function discoverClusters(region: string): Promise<DiscoveredCluster[]> {
  const config = awsClientConfig({ ref: { name: '', region, account: '' }, proxy: proxyOf(process.env) });
  const sts = new STSClient(config);
  const eks = new EKSClient(config);
  try {
    const { Account: account } = await sts.send(new GetCallerIdentityCommand({}));
    if (account === undefined) throw new Error('STS names no account for these credentials.');
    const names: string[] = [];
    let nextToken: string | undefined;
    do {
      const page = await eks.send(new ListClustersCommand({ nextToken }));
      names.push(...(page.clusters ?? []));
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
    return await someAtOnce(names, (name) => discoverCluster(eks, { name, region, account }));
  } catch (error) {
    throw translateError(error, `looking for clusters in ${region}`);
  } finally {
    sts.destroy();
    eks.destroy();
  }
}

async function discoverCluster(eks: EKSClient, ref: { name: string; region: string; account: string }): Promise<DiscoveredCluster> {
  let described: Cluster | undefined;
  try {
    described = (await eks.send(new DescribeClusterCommand({ name: ref.name }))).cluster;
  } catch (error) {
    // The others are no less there.
    return { ...ref, version: 'unknown', unreadable: translateError(error, `describing ${ref.name}`).message };
  }
  const found: DiscoveredCluster = { ...ref, version: described?.version ?? 'unknown', controlPlane: ownerByTags(described?.tags ?? {}) };
  const clients = createClusterClients({ settings: () => ({ ref, proxy: proxyOf(process.env) }), purpose: 'init' });
  try {
    const { kubernetes } = await clients.clusterPorts(ref);
    const deployments = (await kubernetes.list<Deployment>({ apiVersion: 'apps/v1', plural: 'deployments' })) ?? [];
    const [karpenter, ...others] = runningDeployments(
      deployments.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'karpenter' || metadata.name === 'karpenter'),
    );
    const istiod = deployments.find(({ metadata }) => metadata.labels?.['app'] === 'istiod' || metadata.name.startsWith('istiod'));
    return {
      ...found,
      ...(karpenter === undefined
        ? {}
        : { karpenter: others.length === 0 ? await ownerOf(kubernetes, karpenter) : severalOf([karpenter, ...others]) }),
      ...(istiod === undefined ? {} : { istio: await ownerOf(kubernetes, istiod) }),
    };
  } catch (error) {
    return { ...found, unreadable: translateError(error, 'reading the cluster').message };
  } finally {
    await clients.close();
  }
}

/** Belay plans nothing until it is clear which one is Karpenter. */
function severalOf(deployments: readonly Deployment[]): DiscoveredComponent {
  return { because: `${deployments.length} Deployments are called or labelled karpenter: ${someOf(deployments.map(nameOf))}` };
}

/** GitOps tools and Helm leave their marks on what they apply. Argo CD and Flux come first: both also apply Helm charts. */
async function ownerOf(kubernetes: KubernetesPort, { metadata }: KubeObject): Promise<DiscoveredComponent> {
  const { labels = {} } = metadata;
  const by = deliveredBy(metadata);
  if (by === 'argocd') return { managedBy: 'argocd', because: 'the Deployment carries an Argo CD tracking mark' };
  if (by === 'flux') return { managedBy: 'flux', because: 'the Deployment carries a Flux mark' };
  if (by === 'terraform') return { managedBy: 'terraform', because: 'Terraform is among the field managers of the Deployment' };
  // Argo CD's default tracking label until 3.0, when an Application of that name exists.
  const instance = labels['app.kubernetes.io/instance'];
  if (instance !== undefined) {
    const applications = await kubernetes.list({ apiVersion: 'argoproj.io/v1alpha1', plural: 'applications' }).catch(() => undefined);
    if (applications?.some(({ metadata: { name } }) => name === instance) === true) {
      return { managedBy: 'argocd', because: `an Argo CD Application is called ${instance}` };
    }
  }
  if (labels['app.kubernetes.io/managed-by'] === 'Helm' || by === 'helm') {
    return { managedBy: 'helm', because: 'the Deployment belongs to a Helm release' };
  }
  return { because: 'its Deployment carries no mark of an owner' };
}

function ownerByTags(tags: Record<string, string>): DiscoveredCluster['controlPlane'] {
  for (const [key, value] of Object.entries(tags)) {
    if (/terraform|opentofu|atlantis/i.test(`${key} ${value}`) && !/^(false|no)$/i.test(value)) {
      return { managedBy: 'terraform', because: `tag ${key}=${value}` };
    }
  }
  return undefined;
}
