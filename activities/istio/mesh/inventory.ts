/** Where Istio's objects are: control planes by revision, injection webhooks, revision tags, what a pod runs. */
import { imageVersion, runningVersion } from '../../../domain/core/component-version.ts';
import { someOf } from '../../../domain/core/text.ts';
import { runningDeployments } from '../../../domain/facts/running-deployments.ts';
import { z } from 'zod';
import type { KubernetesPort } from '../../contract/ports.ts';
import { readJson } from '../../runtime/read-json.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { type Namespace, nameOf, type Pod, type WebhookConfiguration, type Workload } from '../../clients/kubernetes/objects.ts';
import { MUTATING, VALIDATING } from '../../kubernetes/objects/lists.ts';

export const REV = 'istio.io/rev';
export const TAG = 'istio.io/tag';
export const INJECTION = 'istio-injection';
export const INJECT = 'sidecar.istio.io/inject';
export const DEFAULT_VALIDATOR = 'istiod-default-validator';

/** Service and Deployment of a revision; the un-revisioned install is revision `default`. */
export const istiodOf = (revision: string): string => (revision === 'default' ? 'istiod' : `istiod-${revision}`);

/** The revision behind a Service or Deployment of istiod; undefined for other names. */
export function revisionOfIstiod(name: string | undefined): string | undefined {
  if (name === 'istiod') return 'default';
  return /^istiod-(.+)$/.exec(name ?? '')?.[1];
}

/** Its container in every istiod (istio/istio, istio-discovery chart: deployment.yaml). */
const DISCOVERY = 'discovery';

/** The version that istiod runs; undefined: its image has none in its tag. */
export function istiodVersion(istiod: Workload): string | undefined {
  return runningVersion(istiod, DISCOVERY);
}

/** Anybody's Deployment may have the label app=istiod. */
const isIstiod = ({ spec }: Workload): boolean => spec?.template?.spec?.containers?.some(({ name }) => name === DISCOVERY) === true;

/**
 * istiod Deployments of a revision, or of all, in any namespace; of one revision one that is scaled to 0 gives way to one that is not. Whoever may create a
 * Deployment in any namespace can write the labels and name the container: where several remain of one revision it throws InvalidRequest, which names
 * them, since the version and the readiness of the wrong one would decide what is done with the mesh.
 */
export async function findIstiods(port: KubernetesPort, revision?: string): Promise<Workload[]> {
  const labelSelector = revision === undefined ? ISTIOD_LABEL : `${ISTIOD_LABEL},${REV}=${revision}`;
  const found = ((await port.list<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', labelSelector })) ?? []).filter(isIstiod);
  return [...Map.groupBy(found, revisionLabel)].flatMap(([of, all]) => {
    const left = runningDeployments(all);
    if (left.length === 1) return left;
    throw failureOf(
      'InvalidRequest',
      `finding istiod of revision ${of}: ${left.length} Deployments have the label ${ISTIOD_LABEL} (${someOf(left.map(nameOf))}); delete those that are not Istio, or take the label off them`,
    );
  });
}

const ISTIOD_LABEL = 'app=istiod';

const revisionLabel = ({ metadata }: Workload): string => metadata.labels?.[REV] ?? 'default';

export async function listMutating(port: KubernetesPort): Promise<WebhookConfiguration[]> {
  return (await port.list<WebhookConfiguration>(MUTATING)) ?? [];
}

export async function listValidating(port: KubernetesPort): Promise<WebhookConfiguration[]> {
  return (await port.list<WebhookConfiguration>(VALIDATING)) ?? [];
}

/** The revision's own webhook, not those of tags that point at it. Outside of istio-system its name carries the namespace. */
export function injectorOf(webhooks: readonly WebhookConfiguration[], revision: string): WebhookConfiguration | undefined {
  return webhooks.find(
    ({ metadata }) =>
      metadata.name.startsWith('istio-sidecar-injector') && metadata.labels?.[REV] === revision && metadata.labels[TAG] === undefined,
  );
}

export function tagWebhook(webhooks: readonly WebhookConfiguration[], tag: string): WebhookConfiguration | undefined {
  return webhooks.find(({ metadata }) => metadata.labels?.[TAG] === tag);
}

/** Tags and the revisions behind them. */
export function tagsOf(webhooks: readonly WebhookConfiguration[]): { tag: string; revision: string }[] {
  return webhooks.flatMap(({ metadata }) => {
    const [tag, revision] = [metadata.labels?.[TAG], metadata.labels?.[REV]];
    return tag === undefined || revision === undefined ? [] : [{ tag, revision }];
  });
}

/** Has every webhook of the configuration a CA bundle? Without one the API server cannot call istiod. */
export function hasCaBundle({ webhooks = [] }: WebhookConfiguration): boolean {
  return webhooks.length > 0 && webhooks.every(({ clientConfig }) => (clientConfig?.caBundle ?? '') !== '');
}

/** The revision that namespaces with istio-injection=enabled get: tag `default` where it exists, else the un-revisioned install. */
export function defaultRevision(webhooks: readonly WebhookConfiguration[]): string | undefined {
  return tagWebhook(webhooks, 'default')?.metadata.labels?.[REV] ?? (injectorOf(webhooks, 'default') === undefined ? undefined : 'default');
}

const InjectionStatus = z.object({ revision: z.string() });

/** The revision that injected the pod: its annotation (never a label, except for gateways without one). undefined: no proxy in it. */
export function podRevision(pod: Pod): string | undefined {
  const { annotations = {}, labels = {} } = pod.metadata;
  const stated = annotations[REV] ?? readJson(annotations['sidecar.istio.io/status'], InjectionStatus)?.revision;
  return stated ?? (proxyImage(pod) === undefined ? undefined : labels[REV]);
}

/** Image of istio-proxy; a native sidecar sits among the init containers. */
export function proxyImage({ spec }: Pod): string | undefined {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find((container) => container.name === 'istio-proxy')?.image;
}

export function proxyVersion(pod: Pod): string | undefined {
  return imageVersion(proxyImage(pod));
}

export function labelsOf(namespace: Namespace): { injection: string | null; rev: string | null } {
  const labels = namespace.metadata.labels ?? {};
  return { injection: labels[INJECTION] ?? null, rev: labels[REV] ?? null };
}

/** Asks for a sidecar by its own label, whichever revision is the default (istiod's chart, webhook object.sidecar-injector.istio.io). */
export const asksForSidecar = (labels: Record<string, string>): boolean => labels[INJECT] === 'true' && labels[REV] === undefined;

/**
 * Asks for no sidecar: by label of the pod (template), else by annotation, or because it uses the node's network (pkg/kube/inject, injectRequired:
 * where both are there the label counts).
 */
export function optsOut(template: {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: { hostNetwork?: boolean };
}): boolean {
  const { labels = {}, annotations = {} } = template.metadata ?? {};
  return (labels[INJECT] ?? annotations[INJECT]) === 'false' || template.spec?.hostNetwork === true;
}
