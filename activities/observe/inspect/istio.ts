/** Facts of Istio: revisions that run, tags, and how each namespace selects its injector (istio.io: "Revisions", "Revision tags"). */
import type { IstioFact, IstioRevisionFact, MeshNamespaceFact, NodeAgentFact } from '../../../domain/facts/facts.ts';
import { findIstiods, INJECTION, istiodVersion, listMutating, REV, TAG, tagsOf } from '../../istio/mesh/inventory.ts';
import { isInjector } from '../../istio/mesh/stray-webhooks.ts';
import { findLoneIstiods } from '../../istio/mesh/lone-istiod.ts';
import { listNodeAgents } from '../../istio/mesh/find-node-agents.ts';
import type { Namespace, WebhookConfiguration } from '../../clients/kubernetes/objects.ts';
import { rolloutLack } from '../../kubernetes/objects/rollout.ts';
import type { KubernetesPort, PrometheusPort } from '../../contract/ports.ts';
import { translateError } from '../../runtime/translate-errors.ts';
import { readGateways } from './gateways.ts';
import type { Reader } from '../../runtime/reader.ts';
import { MUTATING } from '../../kubernetes/objects/lists.ts';
import { defined } from '../../../domain/core/defined.ts';
import { TRAFFIC } from '../../../domain/facts/istio-traffic.ts';

const DATAPLANE = 'istio.io/dataplane-mode';

export const ISTIODS = { apiVersion: 'apps/v1', plural: 'deployments', labelSelector: 'app=istiod' } as const;

/** undefined: there is no Istio, or (with an entry in `unknowns`) it cannot be seen. */
export async function readIstio(
  kubernetes: KubernetesPort,
  prometheus: PrometheusPort | undefined,
  reader: Reader,
): Promise<IstioFact | undefined> {
  const revisions = await readRevisions(kubernetes, reader);
  if (revisions.length === 0) {
    await doubtElsewhere(kubernetes, reader);
    return undefined;
  }
  const tags = await readTags(kubernetes, reader);
  const traffic = await readTraffic(prometheus, reader);
  const labelled = await reader.attempt(
    { part: 'namespaces', what: 'the namespaces' },
    'list on namespaces',
    () => kubernetes.list<Namespace>({ apiVersion: 'v1', plural: 'namespaces' }),
    [],
  );
  const namespaces = (labelled ?? []).flatMap((namespace) => {
    const fact = namespaceFact(namespace, revisions, tags, reader);
    const requestsPerSecond = traffic?.get(namespace.metadata.name);
    return fact === undefined ? [] : [{ ...fact, ...defined({ requestsPerSecond }) }];
  });
  const ambient = (labelled ?? [])
    .filter(({ metadata }) => metadata.labels?.[DATAPLANE] === 'ambient')
    .map(({ metadata }) => metadata.name);
  const lone = await reader.attempt(
    { part: 'istio-replicas', what: 'istiods with one replica' },
    'list on poddisruptionbudgets and horizontalpodautoscalers',
    () => findLoneIstiods(kubernetes),
    [],
  );
  return {
    revisions,
    tags,
    ...(await readGateways(kubernetes, { revisions, tags, labelled: labelled ?? [], namespaces }, reader)),
    ...(await readNodeAgents(kubernetes, reader)),
    prometheus: prometheus === undefined ? 'none' : traffic === undefined || traffic.size === 0 ? 'blind' : 'sees',
    ...(ambient.length === 0 ? {} : { ambient }),
    ...(lone.length === 0 ? {} : { loneBudgets: lone.map(({ namespace, budget }) => `${namespace}/${budget}`) }),
  };
}

/** What istiod is called by Belay's own readers where it cannot be seen. */
const DEPLOYMENTS = { part: 'istiods', what: 'the istiod Deployments' } as const;

/**
 * Proxies are injected, and no istiod runs here: by one outside of the cluster (external control plane, primary-remote: chart values istiodRemote),
 * or not any more. Neither is a cluster without Istio.
 */
async function doubtElsewhere(kubernetes: KubernetesPort, reader: Reader): Promise<void> {
  if (reader.unknowns.some(({ part }) => part === 'istiods')) return;
  const webhooks = await reader.attempt(
    { part: 'injection-webhooks', what: 'the injection webhooks of Istio' },
    'list on mutatingwebhookconfigurations',
    () => listMutating(kubernetes),
    [],
  );
  const injector = webhooks.find(isInjector);
  if (injector === undefined) return;
  const { service, url } = injector.webhooks?.find(({ clientConfig }) => clientConfig !== undefined)?.clientConfig ?? {};
  const calls = service === undefined ? (url ?? 'nothing') : `Service ${service.namespace}/${service.name}`;
  reader.doubt(
    DEPLOYMENTS,
    `none runs in this cluster, and webhook ${injector.metadata.name} (${calls}) injects proxies: check the istiod outside of it that serves them, or delete the webhook if that istiod is gone`,
  );
}

async function readRevisions(kubernetes: KubernetesPort, reader: Reader): Promise<IstioRevisionFact[]> {
  const deployments = await reader.attempt(DEPLOYMENTS, 'list on deployments', () => findIstiods(kubernetes), []);
  return deployments.map((deployment) => {
    const version = istiodVersion(deployment);
    const { name, namespace = '' } = deployment.metadata;
    if (version === undefined)
      reader.doubt({ part: 'component-versions', what: `the version of ${namespace}/${name}` }, 'its image has no version in its tag');
    return {
      revision: deployment.metadata.labels?.[REV] ?? 'default',
      version: version ?? 'unknown',
      namespace,
      ready: rolloutLack('Deployment', deployment) === undefined,
    };
  });
}

async function readTags(kubernetes: KubernetesPort, reader: Reader): Promise<IstioFact['tags']> {
  const webhooks = await reader.attempt(
    { part: 'revision-tags', what: 'the Istio revision tags' },
    'list on mutatingwebhookconfigurations',
    () => kubernetes.list<WebhookConfiguration>({ ...MUTATING, labelSelector: TAG }),
    [],
  );
  return tagsOf(webhooks ?? []);
}

/** istio-injection wins over istio.io/rev: its presence switches the revision selectors off. */
function namespaceFact(
  namespace: Namespace,
  revisions: readonly IstioRevisionFact[],
  tags: IstioFact['tags'],
  reader: Reader,
): MeshNamespaceFact | undefined {
  const { name, labels } = namespace.metadata;
  const injection = labels?.[INJECTION];
  const selector = injection === undefined ? labels?.[REV] : injection === 'enabled' ? 'default' : undefined;
  if (selector === undefined) return undefined;
  const tagged = tags.find((entry) => entry.tag === selector)?.revision;
  const revision = tagged ?? (revisions.some((entry) => entry.revision === selector) ? selector : undefined);
  if (revision === undefined) {
    reader.doubt(
      { part: 'revision-choices', what: `the Istio revision of namespace ${name}` },
      `it selects "${selector}", which is neither a revision nor a tag: its pods start without a sidecar`,
    );
    return undefined;
  }
  const mode = injection !== undefined ? 'injection-label' : tagged !== undefined ? 'tag' : 'revision';
  return { name, mode, selector, revision };
}

async function readNodeAgents(kubernetes: KubernetesPort, reader: Reader): Promise<Pick<IstioFact, 'hasCniOrZtunnel' | 'nodeAgents'>> {
  const found = await reader.attempt(
    { part: 'node-agents', what: 'istio-cni and ztunnel' },
    'list on daemonsets',
    () => listNodeAgents(kubernetes),
    [],
  );
  const nodeAgents = found.flatMap((agent): NodeAgentFact[] => {
    const { kind, namespace, daemonSet, version } = agent;
    if (version === undefined)
      reader.doubt({ part: 'component-versions', what: `the version of ${namespace}/${daemonSet}` }, 'its image has no version in its tag');
    return version === undefined ? [] : [{ kind, namespace, daemonSet, version }];
  });
  return { hasCniOrZtunnel: found.length > 0, ...(nodeAgents.length === 0 ? {} : { nodeAgents }) };
}

/** undefined: Prometheus cannot tell. Waves are then ordered without it: worth saying, not worth failing for. */
async function readTraffic(prometheus: PrometheusPort | undefined, reader: Reader): Promise<Map<string, number> | undefined> {
  if (prometheus === undefined) return undefined;
  try {
    const samples = await prometheus.query(TRAFFIC.query);
    return new Map(samples.map((sample) => [sample.labels[TRAFFIC.by] ?? '', sample.value]));
  } catch (error) {
    reader.doubt({ part: 'mesh-traffic', what: TRAFFIC.what }, translateError(error, 'asking Prometheus').message);
    return undefined;
  }
}
