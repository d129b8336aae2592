/** Everything that may still use an Istio revision, read once; the verdicts are retirement.ts's. */
import type { ClusterPorts, KubernetesPort } from '../../ports.ts';
import { isLive, nameOf, type Namespace, type Pod, type WebhookConfiguration, type Workload } from '../shapes.ts';
import { slimPod, slimWorkload } from '../lists.ts';
import { PLURALS } from '../rollout.ts';
import { readConnected } from './connected.ts';
import { releaseNameOf } from './helm-place.ts';
import {
  DEFAULT_VALIDATOR,
  defaultRevision,
  findIstiods,
  INJECTION,
  injectorOf,
  istiodVersion,
  listMutating,
  podRevision,
  REV,
  TAG,
  tagsOf,
  VALIDATING,
} from './inventory.ts';

export interface RetirementFacts {
  pods: string[];
  /** Namespaces with istio.io/rev=<revision>. */
  namespaces: string[];
  /** Workload templates and Gateways with the label. */
  templates: string[];
  /** Tags that point at the revision. */
  tags: string[];
  /** Tags, wherever they point, whose webhook is a part of the Helm release that holds the revision. */
  releasedTags: string[];
  /** Namespaces with istio-injection=enabled, and the revision that serves them. */
  injected: { namespaces: string[]; servedBy: string | undefined };
  /** `unknown`: why Prometheus cannot tell. */
  connections: { kind: 'count'; count: number; version: string } | { kind: 'unknown'; why: string };
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
  return {
    pods: await podsOf(port, revision),
    namespaces: labelled(REV, revision),
    templates: await templatesOf(port, revision),
    tags: tagsOf(webhooks)
      .filter((tag) => tag.revision === revision)
      .map(({ tag }) => tag),
    releasedTags: releasedTagsOf(webhooks, revision),
    injected: { namespaces: labelled(INJECTION, 'enabled'), servedBy: defaultRevision(webhooks) },
    connections: await connectionsOf(ports, revision),
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

async function templatesOf(port: KubernetesPort, revision: string): Promise<string[]> {
  const found: string[] = [];
  for (const plural of Object.values(PLURALS)) {
    for (const workload of (await port.list<Workload>({ apiVersion: 'apps/v1', plural }, slimWorkload)) ?? []) {
      const labels = workload.spec?.template?.metadata?.labels ?? {};
      // istiod's own template carries the label as well.
      if (labels[REV] === revision && labels['app'] !== 'istiod') found.push(`${plural}/${nameOf(workload)}`);
    }
  }
  const gateways = (await port.list({ apiVersion: 'gateway.networking.k8s.io/v1', plural: 'gateways' })) ?? [];
  return [
    ...found,
    ...gateways.filter(({ metadata }) => metadata.labels?.[REV] === revision).map((gateway) => `gateways/${nameOf(gateway)}`),
  ];
}

/** Proxies that are connected and of the revision's version. */
async function connectionsOf(ports: ClusterPorts, revision: string): Promise<RetirementFacts['connections']> {
  if (ports.prometheus === undefined) return { kind: 'unknown', why: 'no Prometheus is configured' };
  const istiod = (await findIstiods(ports.kubernetes, revision))[0];
  const version = istiod === undefined ? undefined : istiodVersion(istiod);
  if (version === undefined) return { kind: 'unknown', why: `the version of revision ${revision} cannot be read from istiod` };
  const connected = await readConnected(ports);
  return connected.kind === 'blind'
    ? { kind: 'unknown', why: connected.why }
    : { kind: 'count', count: connected.versions[version] ?? 0, version };
}
