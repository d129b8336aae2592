/** istio-base: the CRDs, which all revisions share, and the default validator, which stays with the revision that it calls. */
import type { IstioActivities } from '../../contract/istio.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { adoptForHelm, releaseNameOf, releaseNamespaceOf, type ReleaseName } from '../../kubernetes/helm/ownership.ts';
import { upgradeRelease } from '../../kubernetes/helm/upgrade.ts';
import type { HelmRunner } from '../../kubernetes/helm/runner.ts';
import { settledRelease } from '../../kubernetes/helm/settled-release.ts';
import { type Condition, isTrue, type Service, type WebhookConfiguration } from '../../clients/kubernetes/objects.ts';
import { isAtLeast } from '../../kubernetes/objects/kubelet-versions.ts';
import { findChart } from './helm-charts.ts';
import { DEFAULT_VALIDATOR, revisionOfIstiod } from '../mesh/inventory.ts';
import { VALIDATING } from '../../kubernetes/objects/lists.ts';

const DEFINITIONS = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };
/** The charts up to 1.23 and crd-all.gen.yaml label them so; the templates of later charts do not. */
const STATIC_LABEL = 'chart=istio';

type Definition = KubeObject<{ group?: string }, { conditions?: Condition[] }>;

export interface BaseUpgrade {
  helm: HelmRunner | undefined;
  port: KubernetesPort;
  input: Parameters<IstioActivities['installIstioRevision']>[0];
  /** Where the old revision's release is. */
  namespace: string;
  /** Of the istiod chart. */
  version: string;
  pendingWaitMs: number;
}

/**
 * CRDs come first and are shared by all revisions. Those that no release owns (charts up to 1.23 left them out of the release, istioctl knows
 * none) are adopted, never deleted: with a CRD all its objects would go. The default validator stays where it points now: after a retirement
 * the values of istio-base still name the revision that is gone, and helm would point it back there.
 */
export async function upgradeBase({ helm, port, input, namespace, version, pendingWaitMs }: BaseUpgrade): Promise<void> {
  const { cluster, canary, chart, token } = input;
  const validator = await port.get<WebhookConfiguration>({ ...VALIDATING, name: DEFAULT_VALIDATOR });
  const definitions = await labelledDefinitions(port);
  const place = placeOf([validator, ...definitions], namespace);
  const base = await settledRelease(port, place.namespace, place.name, pendingWaitMs);
  if (base?.status === 'deployed' && isAtLeast(base.chart.version, canary.toMinor)) return;
  // Neither a release nor CRDs that its chart brings: they are installed in a way that is not Helm's business.
  if (base === undefined && definitions.length === 0) return;
  const found = await findChart(helm, cluster, chart, 'base', { toMinor: canary.toMinor, toVersion: version });
  await adoptAll(port, place, definitions, base === undefined);
  const revision = await validatedBy(port, validator, canary.fromRevision);
  const defaults = revision === undefined && base !== undefined ? {} : { defaultRevision: revision ?? canary.fromRevision };
  await upgradeRelease(helm, {
    cluster,
    ...place,
    chart: found.args,
    values: { ...base?.config, ...defaults },
    token,
    install: true,
    doing: `upgrading ${place.name} to ${found.version}`,
  });
}

async function labelledDefinitions(port: KubernetesPort): Promise<Definition[]> {
  // Their schemas are large, and nobody here reads them.
  const keep = ({ metadata }: Definition): Definition => ({ metadata });
  return (await port.list<Definition>({ ...DEFINITIONS, labelSelector: STATIC_LABEL }, keep)) ?? [];
}

function placeOf(objects: readonly (KubeObject | undefined)[], namespace: string): ReleaseName {
  const owned = objects.find((object) => object !== undefined && releaseNameOf(object) !== undefined);
  const name = owned === undefined ? undefined : releaseNameOf(owned);
  return { name: name ?? 'istio-base', namespace: (owned === undefined ? undefined : releaseNamespaceOf(owned)) ?? namespace };
}

/** What the chart renders and is there without Helm: a first install would be refused for each of them. */
async function adoptAll(port: KubernetesPort, place: ReleaseName, definitions: readonly Definition[], first: boolean): Promise<void> {
  for (const definition of definitions) await adoptForHelm(port, { ...DEFINITIONS, name: definition.metadata.name }, place, definition);
  if (!first) return;
  await adoptForHelm(port, { ...VALIDATING, name: DEFAULT_VALIDATOR }, place);
  const reader = { apiVersion: 'v1', plural: 'serviceaccounts', namespace: place.namespace, name: 'istio-reader-service-account' };
  await adoptForHelm(port, reader, place);
}

/** The revision whose istiod validates: that of the live Service it calls; where that Service is gone, `fallback`. undefined: nobody validates. */
export async function validatedBy(
  port: KubernetesPort,
  validator: WebhookConfiguration | undefined,
  fallback: string,
): Promise<string | undefined> {
  if (validator === undefined) return undefined;
  const revision = revisionOfIstiod(validator.webhooks?.[0]?.clientConfig?.service?.name);
  if (revision === undefined) return undefined;
  return (await goneService(port, validator)) === undefined ? revision : fallback;
}

/** The Service that a webhook configuration calls and that is gone. */
async function goneService(port: KubernetesPort, { webhooks = [] }: WebhookConfiguration): Promise<string | undefined> {
  for (const { clientConfig } of webhooks) {
    const called = clientConfig?.service;
    if (called === undefined) continue;
    const { namespace, name } = called;
    const service = await port.get<Service>({ apiVersion: 'v1', plural: 'services', namespace, name });
    if (service === undefined) return `${namespace}/${name}`;
  }
  return undefined;
}

/**
 * What the base still lacks before a new revision may be used, whoever delivers it: every Istio CRD Established, and a default validator that
 * calls a Service that is there. undefined: nothing.
 */
export async function baseLack(port: KubernetesPort): Promise<string | undefined> {
  const istios = ({ metadata, spec, status }: Definition): Definition | undefined =>
    spec?.group?.endsWith('istio.io') === true ? { metadata, status } : undefined;
  const definitions = (await port.list<Definition>(DEFINITIONS, istios)) ?? [];
  const waiting = definitions.find((definition) => !isTrue(definition, 'Established'));
  if (waiting !== undefined) return `CustomResourceDefinition ${waiting.metadata.name} is not Established`;
  const validator = await port.get<WebhookConfiguration>({ ...VALIDATING, name: DEFAULT_VALIDATOR });
  const gone = validator === undefined ? undefined : await goneService(port, validator);
  return gone === undefined ? undefined : `${DEFAULT_VALIDATOR} calls Service ${gone}, which is gone: set defaultRevision of istio-base`;
}
