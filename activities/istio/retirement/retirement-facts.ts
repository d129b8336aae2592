/** Everything that may still use an Istio revision, read once; the verdicts are retirement.ts's. */
import { compareComponentVersions, tryComponentVersion } from '../../../domain/core/component-version.ts';
import type { SyncReading } from '../../../domain/health/mesh/wave-sync.ts';
import type { ClusterPorts, KubeObject, KubernetesPort } from '../../contract/ports.ts';
import {
  type CronJob,
  isLive,
  nameOf,
  type Namespace,
  type Pod,
  type WebhookConfiguration,
  type Workload,
} from '../../clients/kubernetes/objects.ts';
import { slimPod, slimWorkload, VALIDATING } from '../../kubernetes/objects/lists.ts';
import { releaseNameOf } from '../../kubernetes/helm/ownership.ts';
import { PLURALS } from '../../kubernetes/objects/rollout.ts';
import { readConnected } from '../mesh/connected-proxies.ts';
import { listNodeAgents } from '../mesh/find-node-agents.ts';
import { readSync } from '../mesh/syncz.ts';
import {
  asksForSidecar,
  DEFAULT_VALIDATOR,
  defaultRevision,
  findIstiods,
  INJECTION,
  injectorOf,
  istiodOf,
  istiodVersion,
  listMutating,
  podRevision,
  REV,
  TAG,
  tagsOf,
} from '../mesh/inventory.ts';

export interface RetirementFacts {
  pods: string[];
  /** Namespaces with istio.io/rev=<revision>. */
  namespaces: string[];
  /** Templates of workloads and CronJobs, and Gateways, with the label. */
  templates: string[];
  /** Tags that point at the revision. */
  tags: string[];
  /** Tags, wherever they point, whose webhook is a part of the Helm release that holds the revision. */
  releasedTags: string[];
  /** Namespaces with istio-injection=enabled, templates that ask for a sidecar themselves where no namespace does, and the revision that serves both. */
  injected: { namespaces: string[]; templates: string[]; servedBy: string | undefined };
  /** `unknown`: why Prometheus cannot tell. */
  connections: { kind: 'count'; count: number; version: string } | { kind: 'unknown'; why: string };
  /** Whatever is connected to istiod of the revision, of any version. */
  sync: SyncReading;
  /** Node agents (ztunnel) that are configured to ask the revision's istiod. */
  agents: string[];
  /** Other revisions whose istiod is there. */
  others: { revision: string; version: string | undefined }[];
  /** Services that the default validator calls; undefined: there is no default validator. */
  validatorServices: string[] | undefined;
}

export async function readRetirementFacts(ports: ClusterPorts, revision: string): Promise<RetirementFacts> {
  const port = ports.kubernetes;
  const namespaces = (await port.list<Namespace>({ apiVersion: 'v1', plural: 'namespaces' })) ?? [];
  const webhooks = await listMutating(port);
  const validator = await port.get<WebhookConfiguration>({ ...VALIDATING, name: DEFAULT_VALIDATOR });
  const labelled = (label: string, value: string): string[] =>
    namespaces.filter(({ metadata }) => metadata.labels?.[label] === value).map(({ metadata }) => metadata.name);
  const unlabelled = new Set(
    namespaces.filter(({ metadata: { labels = {} } }) => labels[REV] === undefined && labels[INJECTION] === undefined).map(nameOf),
  );
  const templates = await listTemplates(port);
  const others = await othersOf(port, revision);
  const named = (of: readonly Template[]): string[] => of.map(({ name }) => name);
  return {
    pods: await podsOf(port, revision),
    namespaces: labelled(REV, revision),
    templates: [...named(templates.filter(({ labels }) => labels[REV] === revision)), ...(await gatewaysOf(port, revision))],
    tags: tagsOf(webhooks)
      .filter((tag) => tag.revision === revision)
      .map(({ tag }) => tag),
    releasedTags: releasedTagsOf(webhooks, revision),
    injected: {
      namespaces: labelled(INJECTION, 'enabled'),
      templates: named(templates.filter(({ namespace, labels }) => unlabelled.has(namespace) && asksForSidecar(labels))),
      servedBy: defaultRevision(webhooks),
    },
    others,
    connections: await connectionsOf(ports, revision, others),
    sync: await readSync(port, revision),
    agents: await agentsOf(port, revision),
    validatorServices: validator?.webhooks?.flatMap(({ clientConfig }) => clientConfig?.service?.name ?? []),
  };
}

/** Uninstalling a release takes away whatever its chart has rendered, even a tag that has been pointed elsewhere since. */
function releasedTagsOf(webhooks: readonly WebhookConfiguration[], revision: string): string[] {
  const injector = injectorOf(webhooks, revision);
  const release = injector === undefined ? undefined : releaseNameOf(injector);
  if (release === undefined) return [];
  return webhooks.filter((webhook) => releaseNameOf(webhook) === release).flatMap(({ metadata }) => metadata.labels?.[TAG] ?? []);
}

/** Finished pods do not count. The whole cluster: a pod may have been left in a namespace whose labels say something else. */
async function podsOf(port: KubernetesPort, revision: string): Promise<string[]> {
  const users = (pod: Pod): Pod | undefined => (isLive(pod) && podRevision(pod) === revision ? slimPod(pod) : undefined);
  return ((await port.list<Pod>({ apiVersion: 'v1', plural: 'pods' }, users)) ?? []).map(nameOf);
}

interface Template {
  /** deployments/shop/web */
  name: string;
  namespace: string;
  labels: Record<string, string>;
}

/** istiod's webhooks look at labels of pods as well. A CronJob has no pod between two runs. */
async function listTemplates(port: KubernetesPort): Promise<Template[]> {
  const found: Template[] = [];
  const add = (plural: string, { metadata }: KubeObject, labels: Record<string, string> = {}): void => {
    // istiod's own template carries the label as well.
    if (labels['app'] !== 'istiod') found.push({ name: `${plural}/${nameOf({ metadata })}`, namespace: metadata.namespace ?? '', labels });
  };
  for (const plural of Object.values(PLURALS)) {
    for (const workload of (await port.list<Workload>({ apiVersion: 'apps/v1', plural }, slimWorkload)) ?? [])
      add(plural, workload, workload.spec?.template?.metadata?.labels);
  }
  for (const job of (await port.list<CronJob>({ apiVersion: 'batch/v1', plural: 'cronjobs' })) ?? [])
    add('cronjobs', job, job.spec?.jobTemplate?.spec?.template?.metadata?.labels);
  return found;
}

async function gatewaysOf(port: KubernetesPort, revision: string): Promise<string[]> {
  const gateways = (await port.list({ apiVersion: 'gateway.networking.k8s.io/v1', plural: 'gateways' })) ?? [];
  return gateways.filter(({ metadata }) => metadata.labels?.[REV] === revision).map((gateway) => `gateways/${nameOf(gateway)}`);
}

/** ztunnel names its istiod in XDS_ADDRESS and CA_ADDRESS (values `revision`, `xdsAddress`, `caAddress` of its chart). */
async function agentsOf(port: KubernetesPort, revision: string): Promise<string[]> {
  const asks = (each: Workload): Workload | undefined => {
    const env = (each.spec?.template?.spec?.containers ?? []).flatMap((container) => container.env ?? []);
    const values = env.filter(({ name }) => name === 'XDS_ADDRESS' || name === 'CA_ADDRESS').map(({ value = '' }) => value);
    return values.some((value) => value.split('.')[0] === istiodOf(revision)) ? slimWorkload(each) : undefined;
  };
  return ((await port.list<Workload>({ apiVersion: 'apps/v1', plural: 'daemonsets' }, asks)) ?? []).map(nameOf);
}

/**
 * ztunnel counts as a proxy of its own version, whichever istiod it asks, and it may not be upgraded before the old istiod has gone. One that
 * asks the old istiod is a finding of its own.
 */
async function ztunnelCount(port: KubernetesPort, version: string): Promise<number> {
  const ztunnel = (await listNodeAgents(port)).find((agent) => agent.kind === 'ztunnel' && isSameRelease(agent.version, version));
  return ztunnel?.readyCount ?? 0;
}

async function othersOf(port: KubernetesPort, revision: string): Promise<RetirementFacts['others']> {
  const istiods = await findIstiods(port);
  return istiods
    .map((istiod) => ({ revision: istiod.metadata.labels?.[REV] ?? 'default', version: istiodVersion(istiod) }))
    .filter((each) => each.revision !== revision);
}

/** Proxies that are connected and of the revision's version. */
async function connectionsOf(
  ports: ClusterPorts,
  revision: string,
  others: RetirementFacts['others'],
): Promise<RetirementFacts['connections']> {
  if (ports.prometheus === undefined) return { kind: 'unknown', why: 'no Prometheus is configured' };
  const istiod = (await findIstiods(ports.kubernetes, revision))[0];
  const version = istiod === undefined ? undefined : istiodVersion(istiod);
  if (version === undefined) return { kind: 'unknown', why: `the version of revision ${revision} cannot be read from istiod` };
  const twin = others.find((each) => isSameRelease(each.version, version));
  if (twin !== undefined) return { kind: 'unknown', why: `revision ${twin.revision} has version ${version} as well` };
  const connected = await readConnected(ports);
  if (connected.kind === 'blind') return { kind: 'unknown', why: connected.why };
  // A proxy says its version without the flavour that its image and istiod's may have (istio/istio, pkg/bootstrap, Metadata.IstioVersion).
  const ofRelease = Object.entries(connected.versions).filter(([each]) => isSameRelease(each, version));
  const proxyCount = ofRelease.reduce((sum, [, each]) => sum + each, 0);
  return { kind: 'count', count: Math.max(0, proxyCount - (await ztunnelCount(ports.kubernetes, version))), version };
}

/** "1.26.2" and "1.26.2-distroless" are. */
function isSameRelease(one: string | undefined, other: string): boolean {
  const [a, b] = [tryComponentVersion(one ?? ''), tryComponentVersion(other)];
  return a === undefined || b === undefined ? one === other : compareComponentVersions(a, b) === 0;
}
