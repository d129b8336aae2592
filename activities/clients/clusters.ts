/**
 * Builds and keeps the clients of each cluster: AWS, Kubernetes, Prometheus. One set per cluster and run, since a session carries the run's id; what
 * changes something has a role of its own where belay.yaml names one.
 */
import { messageOf } from '../../domain/core/unknown.ts';
import { createCloudWatchPort } from './metrics/cloudwatch.ts';
import { describeCluster } from './aws/eks-api.ts';
import { type IdentityProof, identityProof } from './aws/identity-proof.ts';
import { type HelmKubeconfig, kubeconfigText } from './kubernetes/kubeconfig.ts';
import type { ClusterPorts, ClusterSettings, HttpConnection } from '../contract/ports.ts';
import { createAlertmanagerClient } from './metrics/alertmanager.ts';
import { createPrometheusClient } from './metrics/prometheus.ts';
import type { HttpOptions } from './metrics/http.ts';
import { apsSigner } from './metrics/sigv4.ts';
import { createScraper } from './metrics/scraper.ts';
import { failureOf } from '../runtime/translate-errors.ts';
import { type AwsClients, awsClientConfig, createAwsClients } from './aws/clients.ts';
import { createReach, type Reach } from './aws/reach.ts';
import { type AccountClients, createAccountClients } from './aws/account-clients.ts';
import { createEksTokenSource } from './aws/eks-token.ts';
import { createKubernetesPort } from './kubernetes/client.ts';
import { connectionFactory } from './kubernetes/connection.ts';
import { createTransport, type Transport } from './kubernetes/transport.ts';
import { readingAndWriting } from './kubernetes/write-client.ts';
import { currentSession, sessionName } from './aws/session.ts';
import { callerProof, refuseToWrite } from './aws/write-clients.ts';
import { type ClusterRef, eksNameOf } from '../../domain/core/cluster-ref.ts';
import { beforeChange } from '../runtime/before-change.ts';
import { defined } from '../../domain/core/defined.ts';

/** Sets of clients that are kept for a cluster: its newest runs' and those of checks. One run at a time changes a cluster. */
const KEPT_PER_CLUSTER = 8;

export interface ClusterClientsOptions {
  /** From belay.yaml; throws for a cluster that it does not name. */
  settings(clusterName: string): ClusterSettings;
  /** What sessions outside of a run are for: plan, check, doctor. */
  purpose?: string;
}

/** AWS, Kubernetes and Prometheus of any cluster. */
export interface ClusterDeps {
  aws(cluster: ClusterRef): AwsClients;
  clusterPorts(cluster: ClusterRef): Promise<ClusterPorts>;
}

export interface ClusterClients extends ClusterDeps {
  /** What lies around the cluster in its account. */
  account(cluster: ClusterRef): AccountClients;
  /** For helm: the kubeconfig that belay.yaml names, else endpoint, certificate and a fresh token; one that may write in an activity that does. */
  kubeconfig(cluster: ClusterRef): Promise<HelmKubeconfig>;
  close(): Promise<void>;
}

interface Kept {
  /** Rejects where the cluster is another one than the run began on. */
  identical: IdentityProof;
  aws: AwsClients;
  account: AccountClients;
  ports: ClusterPorts;
  kubeconfig(): Promise<HelmKubeconfig>;
  close(): Promise<void>;
}

/** Nothing is sent until a client is used. */
export function createClusterClients(options: ClusterClientsOptions): ClusterClients {
  /** By cluster, then by what a session is named after; least recently used first. */
  const kept = new Map<string, Map<string, Kept>>();
  const reach = createReach();
  const of = (cluster: ClusterRef): Kept => {
    // Clients of a cluster that is gone lead nowhere: one that was made anew under its name has others.
    const key = `${cluster.account}/${cluster.region}/${cluster.name}/${cluster.identity ?? ''}`;
    const session = currentSession()?.of ?? options.purpose ?? 'read';
    const settings = settingsOf(options, cluster);
    // Without roles there are no sessions to name.
    const name = settings.roleArn === undefined && settings.writeRoleArn === undefined ? '' : sessionName(cluster.name, session);
    const sets = kept.get(key) ?? new Map<string, Kept>();
    kept.set(key, sets);
    const clients = sets.get(name) ?? build(settings, session, cluster, reach);
    sets.delete(name);
    sets.set(name, clients);
    const [oldest] = sets;
    if (sets.size > KEPT_PER_CLUSTER && oldest !== undefined) {
      sets.delete(oldest[0]);
      oldest[1].close().catch(() => {});
    }
    return clients;
  };
  return {
    aws: (cluster) => of(cluster).aws,
    account: (cluster) => of(cluster).account,
    async clusterPorts(cluster) {
      const { identical, ports } = of(cluster);
      await identical('look');
      return ports;
    },
    kubeconfig: async (cluster) => of(cluster).kubeconfig(),
    async close() {
      for (const sets of kept.values()) for (const clients of sets.values()) await clients.close();
      kept.clear();
    },
  };
}

function build(settings: ClusterSettings, session: string, ref: ClusterRef, reach: Reach): Kept {
  const separate = settings.writeRoleArn !== undefined;
  const read = { access: 'read', of: session } as const;
  const write = { access: 'write', of: session } as const;
  const readConfig = awsClientConfig(settings, read, reach);
  // The same role with the same tags is the same session.
  const writeConfig = separate || settings.sessionTags === true ? awsClientConfig(settings, write, reach) : readConfig;
  const changeEks = async () => {
    await mayWrite();
    return writer.eks;
  };
  const reader = createAwsClients(settings, read, changeEks, readConfig);
  const writer = separate ? createAwsClients(settings, write, undefined, writeConfig) : reader;
  const proven = callerProof(settings, [
    { access: 'read', sts: reader.sts },
    ...(separate ? [{ access: 'write' as const, sts: writer.sts }] : []),
  ]);
  const identical = identityProof(reader, ref);
  const mayWrite = async (): Promise<void> => {
    refuseToWrite(settings, currentSession());
    await proven();
    await mayChange();
  };
  const mayChange = async (): Promise<void> => {
    await identical('change');
    await beforeChange();
  };
  const account = createAccountClients(readConfig, async () => {
    await mayWrite();
    return writeConfig;
  });
  const reading = kubernetesOf(settings, reader, reader);
  const changing = separate ? kubernetesOf(settings, reader, writer) : reading;
  const kubernetes = createKubernetesPort(reading.transport);
  // By a kubeconfig the API server is told somebody whom STS may not know.
  const mayPatch = settings.kubeconfig === undefined ? mayWrite : mayChange;
  return {
    identical,
    aws: reader,
    account,
    ports: {
      kubernetes: readingAndWriting(kubernetes, createKubernetesPort(changing.transport), mayPatch),
      ...metricsOf(settings, reader),
      scrapes: createScraper(kubernetes),
      cloudWatch: createCloudWatchPort(account.cloudWatch),
    },
    async kubeconfig() {
      if (currentSession()?.writes !== true) return await reading.kubeconfig();
      await mayPatch();
      return await changing.kubeconfig();
    },
    async close() {
      for (const aws of new Set([reader, writer])) aws.close();
      account.close();
      for (const { transport } of new Set([reading, changing])) await transport.close();
    },
  };
}

/** One identity's way to the API server: where it is says the reader, whose token says `who`. */
function kubernetesOf(
  settings: ClusterSettings,
  reader: AwsClients,
  who: AwsClients,
): { transport: Transport; kubeconfig(): Promise<HelmKubeconfig> } {
  const endpoint = async () => {
    const cluster = await describeCluster(reader, settings.ref);
    const caData = cluster.certificateAuthority?.data ?? '';
    const address = cluster.endpoint ?? '';
    if (address === '' || caData === '') {
      const status = cluster.status ?? 'unknown';
      const lacks = address === '' ? 'endpoint' : 'certificate authority';
      throw failureOf('InvalidRequest', `connecting to ${settings.ref.name}: the cluster is ${status} and has no ${lacks} yet`);
    }
    return { endpoint: address, caData };
  };
  const tokens = createEksTokenSource(who.sts, eksNameOf(settings.ref));
  return {
    transport: createTransport(connectionFactory(settings, { endpoint, tokens })),
    async kubeconfig() {
      const { kubeconfig: path, context } = settings;
      if (path !== undefined) return { kind: 'file', path, ...defined({ context }) };
      // A token that another call signed nearly ten minutes ago might not last for this one.
      tokens.renew();
      const [{ endpoint: server, caData }, token] = await Promise.all([endpoint(), tokens.token()]);
      return { kind: 'text', text: kubeconfigText({ name: settings.ref.name, endpoint: server, caData, token }) };
    },
  };
}

function metricsOf({ prometheus, ref }: ClusterSettings, { sts }: AwsClients): Pick<ClusterPorts, 'prometheus' | 'alertmanager'> {
  if (prometheus === undefined) return {};
  const { alertmanager, matchers, ...own } = prometheus;
  const options = ({ url, headers = {}, bearerToken, sigv4, allowPlainHttp = false }: HttpConnection): HttpOptions => ({
    url,
    allowPlainHttp,
    headers: { ...headers, ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }) },
    ...(sigv4 === undefined ? {} : { sign: apsSigner({ region: sigv4.region ?? ref.region, credentials: sts.config.credentials }) }),
  });
  return {
    prometheus: createPrometheusClient({ ...options(own), matchers }),
    ...(alertmanager === undefined ? {} : { alertmanager: createAlertmanagerClient(options(alertmanager)) }),
  };
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
  const eksName = eksNameOf(settings.ref);
  if (cluster.eksName !== undefined && cluster.eksName !== eksName) {
    throw failureOf(
      'Configuration',
      `belay.yaml now says that EKS calls ${cluster.name} ${eksName}, but this run began on ${cluster.eksName}; correct belay.yaml or stop the run`,
    );
  }
  return settings;
}
