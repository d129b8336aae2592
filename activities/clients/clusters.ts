/** Builds and keeps the clients of each cluster: AWS, Kubernetes, Prometheus. One set per cluster for the life of the process. */
import type { ClusterRef } from '../../domain/facts.ts';
import { messageOf } from '../../domain/unknown.ts';
import { describeCluster } from '../eks/api.ts';
import { type HelmKubeconfig, kubeconfigText } from '../kubernetes/helm-kubeconfig.ts';
import type { ClusterPorts, ClusterSettings } from '../ports.ts';
import { createPrometheusClient } from '../prometheus/client.ts';
import { apsSigner } from '../prometheus/sigv4.ts';
import { failureOf } from '../translate-errors.ts';
import { type AwsClients, createAwsClients } from './aws.ts';
import { type AccountClients, createAccountClients } from './aws-account.ts';
import { createEksTokenSource } from './eks-token.ts';
import { createKubernetesPort } from './kubernetes.ts';
import { connectionFactory } from './kubernetes-connection.ts';
import { createTransport, type Transport } from './kubernetes-transport.ts';

export interface ClusterClientsOptions {
  /** From belay.yaml; throws for a cluster that it does not name. */
  settings(clusterName: string): ClusterSettings;
}

/** AWS, Kubernetes and Prometheus of any cluster. */
export interface ClusterDeps {
  aws(cluster: ClusterRef): AwsClients;
  clusterPorts(cluster: ClusterRef): Promise<ClusterPorts>;
}

export interface ClusterClients extends ClusterDeps {
  /** What lies around the cluster in its account. */
  account(cluster: ClusterRef): AccountClients;
  /** For helm: the kubeconfig that belay.yaml names, else endpoint, certificate and a fresh token. */
  kubeconfig(cluster: ClusterRef): Promise<HelmKubeconfig>;
  close(): Promise<void>;
}

interface Kept {
  aws: AwsClients;
  account: AccountClients;
  transport: Transport;
  ports: ClusterPorts;
  kubeconfig(): Promise<HelmKubeconfig>;
}

/** Nothing is sent until a client is used. */
export function createClusterClients(options: ClusterClientsOptions): ClusterClients {
  const kept = new Map<string, Kept>();
  const of = (cluster: ClusterRef): Kept => {
    const key = `${cluster.account}/${cluster.region}/${cluster.name}`;
    let clients = kept.get(key);
    if (clients === undefined) {
      clients = build(settingsOf(options, cluster));
      kept.set(key, clients);
    }
    return clients;
  };
  return {
    aws: (cluster) => of(cluster).aws,
    account: (cluster) => of(cluster).account,
    clusterPorts: async (cluster) => of(cluster).ports,
    kubeconfig: async (cluster) => of(cluster).kubeconfig(),
    async close() {
      for (const { aws, account, transport } of kept.values()) {
        aws.close();
        account.close();
        await transport.close();
      }
      kept.clear();
    },
  };
}

function build(settings: ClusterSettings): Kept {
  const aws = createAwsClients(settings);
  const endpoint = async () => {
    const cluster = await describeCluster(aws, settings.ref);
    if (cluster.endpoint === undefined || cluster.certificateAuthority?.data === undefined) {
      const status = cluster.status ?? 'unknown';
      throw failureOf('InvalidRequest', `connecting to ${settings.ref.name}: the cluster is ${status} and has no endpoint yet`);
    }
    return { endpoint: cluster.endpoint, caData: cluster.certificateAuthority.data };
  };
  const tokens = createEksTokenSource(aws.sts, settings.ref.name);
  const transport = createTransport(connectionFactory(settings, { endpoint, tokens }));
  const prometheus = prometheusOf(settings, aws);
  const kubernetes = createKubernetesPort(transport);
  return {
    aws,
    account: createAccountClients(settings),
    transport,
    ports: { kubernetes, prometheus },
    async kubeconfig() {
      const { kubeconfig: path, context } = settings;
      if (path !== undefined) return { kind: 'file', path, ...(context === undefined ? {} : { context }) };
      // A token that another call signed nearly ten minutes ago might not last for this one.
      tokens.renew();
      const [{ endpoint: server, caData }, token] = await Promise.all([endpoint(), tokens.token()]);
      return { kind: 'text', text: kubeconfigText({ name: settings.ref.name, endpoint: server, caData, token }) };
    },
  };
}

function prometheusOf({ prometheus, ref }: ClusterSettings, { sts }: AwsClients): ClusterPorts['prometheus'] {
  if (prometheus === undefined) return undefined;
  const { url, headers = {}, bearerToken, sigv4 } = prometheus;
  return createPrometheusClient({
    url,
    headers: { ...headers, ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }) },
    ...(sigv4 === undefined ? {} : { sign: apsSigner({ region: sigv4.region ?? ref.region, credentials: sts.config.credentials }) }),
  });
}

/** A run carries account and region; an edited belay.yaml must not lead it to another cluster. */
function settingsOf(options: ClusterClientsOptions, cluster: ClusterRef): ClusterSettings {
  let settings: ClusterSettings;
  try {
    settings = options.settings(cluster.name);
  } catch (error) {
    throw failureOf('Configuration', messageOf(error), { cause: error });
  }
  const { account, region } = settings.ref;
  if (account !== cluster.account || region !== cluster.region) {
    throw failureOf(
      'Configuration',
      `belay.yaml now places ${cluster.name} in account ${account}, ${region}, but this run began in ${cluster.account}, ${cluster.region}; correct belay.yaml or stop the run`,
    );
  }
  return settings;
}
