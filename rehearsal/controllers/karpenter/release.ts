/** What a new release of Karpenter's charts does to the cluster, whoever brings it. */
import { rememberStorage, storedVersionErrors } from '../../kubernetes/definitions.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { converts, definitionsOf, webhooksByDefault, type WebhookValues } from './definitions.ts';
import { isSince } from './migration/versions.ts';
import { rollWebhooks } from './webhooks.ts';

/** Values that people give the charts, as far as the twin knows them. */
export interface ChartValues {
  webhook?: Partial<WebhookValues>;
  settings?: { featureGates?: { drift?: boolean } };
}

/** "1.2" becomes a real patch: charts have full versions. */
const fullVersion = (version: string): string => {
  const plain = version.replace(/^v/, '');
  return plain.split('.').length > 2 ? plain : `${plain}.0`;
};

/** As tags name it: with v up to 0.34. */
const tagOf = (version: string): string => (isSince(version, '0.35') ? version : `v${version}`);

export function karpenterDeployment(world: World): KubeObject | undefined {
  return world.store.list('deployments', { labels: { 'app.kubernetes.io/name': 'karpenter' } })[0];
}

/**
 * The chart karpenter: the controller's image, its Service and its webhooks. `prunes`: whoever brings it takes away what the chart has no more,
 * as Helm does. false: there is no Deployment.
 */
export function rollKarpenter(world: World, asked: string, values: ChartValues = {}, prunes = true): boolean {
  const version = fullVersion(asked);
  const deployment = karpenterDeployment(world);
  if (deployment === undefined) return false;
  const { name, namespace = 'kube-system' } = deployment.metadata;
  const { enabled = webhooksByDefault(version), port = 8443 } = values.webhook ?? {};
  world.store.update('deployments', name, namespace, (copy) => {
    copy.metadata.labels = {
      ...copy.metadata.labels,
      'app.kubernetes.io/version': version,
      'helm.sh/chart': `karpenter-${tagOf(version)}`,
    };
    for (const container of copy.spec.template.spec.containers) {
      if (container.name !== 'controller') continue;
      container.image = `public.ecr.aws/karpenter/controller:${tagOf(version)}`;
      const others = (container.env ?? []).filter((each: { name: string }) => !/WEBHOOK|FEATURE_GATES/.test(each.name));
      container.env = [...others, ...envOf(version, enabled, values)];
    }
  });
  if (!isSince(version, '1.1') || world.store.get('services', name, namespace) !== undefined)
    rollWebhooks(world, { name, namespace, version, port, enabled, prunes });
  return true;
}

/** What of the controller's environment depends on its version and values. */
function envOf(version: string, webhook: boolean, { settings }: ChartValues): { name: string; value: string }[] {
  const drift = settings?.featureGates?.drift ?? isSince(version, '0.33');
  return [
    ...(isSince(version, '0.32') && !isSince(version, '1.1') ? [{ name: 'DISABLE_WEBHOOK', value: String(!webhook) }] : []),
    ...(isSince(version, '0.32') && !isSince(version, '1.0') ? [{ name: 'FEATURE_GATES', value: `Drift=${drift}` }] : []),
  ];
}

/** The chart karpenter-crd: the definitions of that version. Returns why the API server refuses them, where it does; nothing is changed then. */
export function rollDefinitions(world: World, asked: string, values: ChartValues = {}): string | undefined {
  const version = fullVersion(asked);
  const { enabled = webhooksByDefault(version), serviceName = 'karpenter', serviceNamespace, port = 8443 } = values.webhook ?? {};
  const namespace = serviceNamespace || (karpenterDeployment(world)?.metadata.namespace ?? 'kube-system');
  const webhook = enabled && converts(version) ? { name: serviceName, namespace, port } : undefined;
  const applied = definitionsOf(version, enabled).map((definition) => ({ definition, ...render(definition, version, webhook) }));
  for (const { name, change } of applied) {
    const known = world.store.get('customresourcedefinitions', name);
    if (known === undefined) continue;
    const copy = structuredClone(known);
    change(copy);
    const [error] = storedVersionErrors(copy);
    if (error !== undefined)
      return `cannot patch "${name}" with kind CustomResourceDefinition: CustomResourceDefinition.apiextensions.k8s.io "${name}" is invalid: ${error.field}: ${error.message}`;
  }
  for (const { name, change, definition } of applied) {
    if (world.store.get('customresourcedefinitions', name) !== undefined)
      world.store.update('customresourcedefinitions', name, undefined, change);
    else world.store.create('customresourcedefinitions', created(definition, change));
  }
  return undefined;
}

type Definition = ReturnType<typeof definitionsOf>[number];

function render({ group, plural, versions, storage }: Definition, version: string, service: object | undefined) {
  const change = (copy: KubeObject): void => {
    const { metadata, spec } = copy;
    metadata.labels = { ...metadata.labels, 'app.kubernetes.io/version': version };
    const [shape = { subresources: { status: {} } }] = spec.versions ?? [];
    spec.versions = versions.map((each) => ({ ...shape, name: each, served: true, storage: each === storage }));
    // What Karpenter itself has filled in stays.
    const known = spec.conversion?.webhook?.clientConfig ?? {};
    const clientConfig = { ...known, service: { ...known.service, ...service } };
    spec.conversion =
      service === undefined
        ? { strategy: 'None' }
        : { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1beta1', 'v1'], clientConfig } };
    rememberStorage(copy);
  };
  return { name: `${plural}.${group}`, change };
}

function created({ group, plural, kind }: Definition, change: (copy: KubeObject) => void): KubeObject {
  const definition: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: { 'controller-gen.kubebuilder.io/version': 'v0.16.5' } },
    spec: { group, names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` }, scope: 'Cluster' },
  };
  change(definition);
  return definition;
}
