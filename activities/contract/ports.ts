/** What activities need from the outside, in our words. Adapters live in activities/clients/ (vendor SDKs) and slack/delivery/notifier; worker/ wires them. */
import type { CloudWatchQuery } from '../../domain/health/metrics/cloudwatch.ts';
import type { Attachment, MessageRef, PublishInput } from '../../domain/run/notifications.ts';
import type { DeliveredEvent, RunEvent } from '../../domain/run/events/event.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { ScrapeQuery } from '../../domain/health/metrics/scrapes.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

export interface ResourceRef {
  /** "v1", "apps/v1", "karpenter.sh/v1" */
  apiVersion: string;
  plural: string;
  namespace?: string;
  name: string;
  /** For patches of what a server keeps apart. */
  subresource?: 'status';
}

export interface PodPort {
  namespace: string;
  name: string;
  port: number;
}

export interface ListQuery {
  apiVersion: string;
  plural: string;
  /** Absent: all namespaces, or a cluster-scoped resource. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Only metadata, managedFields included, is asked for: a twentieth of the bytes where objects are large. */
  metadataOnly?: boolean;
  /** The list had expired and begins again: what `keep` has been given by now comes again. */
  onRestart?: () => void;
}

export interface KubeMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: { kind: string; name: string; uid: string; controller?: boolean; apiVersion: string }[];
  managedFields?: { manager?: string; operation?: string; apiVersion?: string; subresource?: string; fieldsV1?: unknown }[];
}

/** Any object; callers narrow spec and status with the shapes they know (parse at the edge). */
export interface KubeObject<Spec = unknown, Status = unknown> {
  apiVersion?: string;
  kind?: string;
  metadata: KubeMeta;
  spec?: Spec;
  status?: Status;
}

export type Patch =
  | { type: 'json'; body: { op: 'add' | 'remove' | 'replace' | 'test'; path: string; value?: unknown }[] }
  | { type: 'merge'; body: Record<string, unknown> }
  | { type: 'strategic'; body: Record<string, unknown> };

/**
 * A Kubernetes API server. Every call takes the activity's AbortSignal from its context, has a time-out of its own (10 s), renews the
 * token and repeats once on 401, pages lists by 500 and restarts on 410, and throws ApplicationFailures by domain/core/failure-types.
 */
export interface KubernetesPort {
  /** GET /version on a fresh connection. */
  version(): Promise<{ minor: string; gitVersion: string; serverDate?: string }>;
  readyz(): Promise<{ ok: boolean; message: string }>;
  /** GET /metrics on a fresh connection, which may reach another instance: Prometheus' text format. */
  metrics(): Promise<string>;
  /**
   * GET of a path on a port of a pod, from the pod's own loopback (pods/portforward, which the base role does not have). Any status of the pod is an
   * answer.
   */
  getInPod(pod: PodPort, path: string): Promise<{ status: number; body: string }>;
  /**
   * GET /metrics of the API server, on a fresh connection which may reach another instance, or of a pod, through the API server (pods/proxy, which the
   * base role does not have). Line by line, since an API server's are megabytes; a repeated request asks for `lines` anew.
   */
  scrape(from: 'api-server' | PodPort, lines: () => (line: string) => void): Promise<void>;
  /** undefined: 404. */
  get<T extends KubeObject>(ref: ResourceRef): Promise<T | undefined>;
  /**
   * undefined: the resource type does not exist on this server (404 for the list). `keep` says what is kept of each object, page by page:
   * undefined drops it. A list of a large cluster without it is held whole in memory.
   */
  list<T extends KubeObject>(query: ListQuery, keep?: (object: T) => T | undefined): Promise<T[] | undefined>;
  patch<T extends KubeObject>(ref: ResourceRef, patch: Patch): Promise<T>;
  create<T extends KubeObject>(ref: Omit<ResourceRef, 'name'>, body: object): Promise<T>;
  /** A 404 is fine. */
  delete(ref: ResourceRef, options?: { uid?: string; propagationPolicy?: 'Foreground' }): Promise<void>;
  /** The server's own Date of the last answer, ISO 8601. */
  serverDate(): string | undefined;
}

export interface PrometheusPort {
  /** An empty vector is `[]`: callers must branch on it. Throws `Unavailable` when Prometheus cannot be asked. */
  query(promql: string): Promise<{ labels: Record<string, string>; value: number }[]>;
}

export interface AlertmanagerPort {
  /** What fires as it knows it. suppressed: silenced or inhibited. Throws `Unavailable` when it cannot be asked. */
  alerts(): Promise<{ labels: Record<string, string>; suppressed: boolean }[]>;
}

export interface CloudWatchPort {
  /** The newest complete datapoint of each series; none is `[]`. Throws where the answer is partial or cannot be had. */
  query(query: CloudWatchQuery): Promise<{ labels: Record<string, string>; value: number }[]>;
}

/** What a scrape says. nothing: what is asked about is not there; waiting: there are no two scrapes of one process yet; denied: a right is missing. */
export type ScrapeAnswer =
  | { kind: 'samples'; samples: { labels: Record<string, string>; value: number }[] }
  | { kind: 'nothing' | 'waiting' | 'denied'; why: string };

export interface ScrapePort {
  /** What scrapes keep from now on. */
  keep(queries: readonly ScrapeQuery[]): void;
  /**
   * `intervalMs`: of the check. A scrape that is younger than half of it, or than `freshMs`, serves several queries. Throws `Unavailable` when nobody
   * answers.
   */
  query(query: ScrapeQuery, times: { intervalMs: number; freshMs?: number }): Promise<ScrapeAnswer>;
}

/** Delivery of notifications. */
export interface Notifier {
  publish(input: PublishInput): Promise<MessageRef | undefined>;
  attach(attachment: Attachment): Promise<void>;
}

/** One receiver beside Slack. */
export interface EventSink {
  /**
   * `refused`: not as it is; one sentence says why, and `mayPass` that it may take it within an hour: whoever runs the receiver can mend it, or it puts off people who have not been told. `unknown`: it may have arrived. Throws `Unavailable` or `Throttled` where it has not, or where the
   * receiver drops repeats by the event's key.
   */
  send(event: RunEvent, upgrade: PublishInput['upgrade']): Promise<{ outcome: DeliveredEvent['outcome']; why?: string; mayPass?: true }>;
}

/** Who is in a group, read now. Throws when it cannot be read: callers fail closed. */
export interface GroupReader {
  members(groupId: string): Promise<string[]>;
}

/** Whether a Slack user is a full member of the workspace, read now. Throws when it cannot be read: callers fail closed. */
export interface PersonReader {
  /** Why not; undefined: they are. */
  whyNotMember(userId: string): Promise<string | undefined>;
}

/** Kubernetes and Prometheus of one cluster; built once per cluster and kept. */
export interface ClusterPorts {
  kubernetes: KubernetesPort;
  /** undefined: none configured. */
  prometheus?: PrometheusPort;
  /** undefined: none configured, so that silences are not known. */
  alertmanager?: AlertmanagerPort;
  /** Of the cluster's region; nothing is loaded or sent until it is asked. */
  cloudWatch?: CloudWatchPort;
  /** Remembers what it has scraped. */
  scrapes?: ScrapePort;
}

/** What activities on a cluster's Kubernetes side receive. */
export interface KubernetesDeps {
  /** Cached per cluster. */
  clusterPorts(cluster: ClusterRef): Promise<ClusterPorts>;
  policyOf(clusterName: string): UpgradePolicy;
}

/** How an address is asked. Headers and token are never logged. */
export interface HttpConnection {
  url: string;
  headers?: Record<string, string>;
  bearerToken?: string;
  /** Credentials may go over plain HTTP. */
  allowPlainHttp?: boolean;
  /** Requests are signed for Amazon Managed Service for Prometheus; the region is the cluster's where it names none. */
  sigv4?: { region?: string };
}

/** How to reach a cluster's Prometheus. */
export interface PrometheusConnection extends HttpConnection {
  /** Put into each selector of each query. */
  matchers?: string[];
  alertmanager?: HttpConnection;
}

/** What Node's agents read of an environment. */
export type ProxyVariables = Partial<Record<'HTTP_PROXY' | 'HTTPS_PROXY' | 'NO_PROXY', string>>;

/** How to reach one cluster: what belay.yaml says, resolved. */
export interface ClusterSettings {
  ref: ClusterRef;
  /** Role to assume for AWS calls on this cluster, and for tokens of its API server. */
  roleArn?: string;
  /** Role to assume for changes, by activities that change something only; absent: `roleArn` changes, too. */
  writeRoleArn?: string;
  /** Tag sessions of assumed roles: their trust policies have to allow sts:TagSession. */
  sessionTags?: boolean;
  /** Sent with every AssumeRole: the trust policies of both roles ask for it by sts:ExternalId. */
  externalId?: string;
  /** Forward proxies, by the names of their variables; absent: AWS and the API server are reached directly. */
  proxy?: ProxyVariables;
  /** Path of a kubeconfig; absent: endpoint and certificate from DescribeCluster, token from AWS credentials. */
  kubeconfig?: string;
  /** Context in the kubeconfig; absent: its current one. */
  context?: string;
  /** Without a kubeconfig: where a tunnel to the API server begins. Its certificate has to be that of the endpoint, by EKS's own authority. */
  tunnel?: string;
  prometheus?: PrometheusConnection;
}
