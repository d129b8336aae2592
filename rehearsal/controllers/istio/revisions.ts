/** The objects of one Istio revision and of a revision tag, as the charts render them. */
import { imageVersion } from '../../kubernetes/pods/pods.ts';
import { type KubeObject, StoreError } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { isTrue } from '../conditions.ts';

export const ISTIO_NAMESPACE = 'istio-system';
/** Newest patch that the twin's Git repositories know. */
const PATCHES: Record<string, string> = { '1.26': '1.26.2', '1.27': '1.27.3', '1.28': '1.28.3', '1.29': '1.29.2', '1.30': '1.30.2' };

/** All of them. */
export const ISTIO_PATCHES: readonly string[] = Object.values(PATCHES);

/** A full version of "1.28" or "1.28.3". */
export const patchOfIstio = (version: string): string => (version.split('.').length > 2 ? version : (PATCHES[version] ?? `${version}.0`));

export const proxyImage = (version: string): string => `docker.io/istio/proxyv2:${version}`;

const suffix = (revision: string): string => (revision === 'default' ? '' : `-${revision}`);
const istiodName = (revision: string): string => `istiod${suffix(revision)}`;
const injectorName = (revision: string): string => `istio-sidecar-injector${suffix(revision)}`;

/** Creates what is missing. Safe to repeat. */
export function ensure(world: World, plural: string, object: KubeObject): void {
  try {
    world.store.create(plural, object);
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== 'AlreadyExists') throw error;
  }
}

/** Installs istiod of a revision with its webhook: what `helm install istiod --set revision=` leaves behind. */
export function installRevision(world: World, options: { revision: string; version: string }): void {
  const { revision, version } = options;
  const name = istiodName(revision);
  const labels = { app: 'istiod', 'istio.io/rev': revision, 'app.kubernetes.io/version': version, 'operator.istio.io/component': 'Pilot' };
  const at = { namespace: ISTIO_NAMESPACE, labels };
  ensure(world, 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ISTIO_NAMESPACE } });
  ensure(world, 'configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...at, name: `istio${suffix(revision)}` },
    data: { mesh: 'defaultConfig: {}\n' },
  });
  ensure(world, 'configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...at, name: injectorName(revision) },
    data: { values: '{}' },
  });
  ensure(world, 'services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...at, name },
    spec: { selector: { app: 'istiod', 'istio.io/rev': revision }, ports: [{ name: 'https-webhook', port: 443, targetPort: 15017 }] },
  });
  ensure(world, 'poddisruptionbudgets', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { ...at, name },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'istiod', 'istio.io/rev': revision } } },
  });
  ensure(world, 'deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...at, name },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'istiod', 'istio.io/rev': revision } },
      template: {
        metadata: { labels: { ...labels, 'sidecar.istio.io/inject': 'false' } },
        spec: {
          containers: [
            { name: 'discovery', image: `docker.io/istio/pilot:${version}`, resources: { requests: { cpu: '500m', memory: '2Gi' } } },
          ],
        },
      },
    },
  });
  ensure(
    world,
    'mutatingwebhookconfigurations',
    injector(injectorName(revision), revision, { 'istio.io/rev': revision, app: 'sidecar-injector' }, revision),
  );
  ensure(world, 'validatingwebhookconfigurations', validator(`istio-validator${suffix(revision)}-${ISTIO_NAMESPACE}`, revision));
}

/** Points a tag at a revision: label, service and CA bundle. */
export function setTag(world: World, tag: string, revision: string): void {
  const name = `istio-revision-tag-${tag}`;
  const wanted = injector(name, revision, { 'istio.io/tag': tag, 'istio.io/rev': revision, app: 'sidecar-injector' }, tag);
  put(world, 'mutatingwebhookconfigurations', wanted);
}

/** `istiod-default-validator`: validation of Istio's own objects, one per cluster. */
export function setDefaultValidator(world: World, revision: string): void {
  put(world, 'validatingwebhookconfigurations', validator('istiod-default-validator', revision));
}

/** Creates a webhook configuration, or points the one that is there elsewhere. */
function put(world: World, plural: string, wanted: KubeObject): void {
  const { name, labels } = wanted.metadata;
  if (world.store.get(plural, name) === undefined) return ensure(world, plural, wanted);
  world.store.update(plural, name, undefined, (copy) => {
    copy.webhooks = wanted.webhooks;
    copy.metadata.labels = labels;
  });
}

/** What bears a revision's label: istiod, its configuration and its webhooks; tags and the default validator that point at it as well. */
export function partsOfRevision({ store }: World, revision: string): { plural: string; object: KubeObject }[] {
  return [
    'configmaps',
    'services',
    'poddisruptionbudgets',
    'deployments',
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
  ].flatMap((plural) => store.list(plural, { labels: { 'istio.io/rev': revision } }).map((object) => ({ plural, object })));
}

/** Removes a revision: istiod, its webhooks and the rest. What is not there is fine. */
export function removeRevision(world: World, revision: string): void {
  const drop = (plural: string, name: string, namespace?: string): void => {
    if (world.store.get(plural, name, namespace) !== undefined) world.store.delete(plural, name, namespace);
  };
  drop('mutatingwebhookconfigurations', injectorName(revision));
  drop('validatingwebhookconfigurations', `istio-validator${suffix(revision)}-${ISTIO_NAMESPACE}`);
  drop('deployments', istiodName(revision), ISTIO_NAMESPACE);
  drop('poddisruptionbudgets', istiodName(revision), ISTIO_NAMESPACE);
  drop('services', istiodName(revision), ISTIO_NAMESPACE);
  drop('configmaps', `istio${suffix(revision)}`, ISTIO_NAMESPACE);
  drop('configmaps', injectorName(revision), ISTIO_NAMESPACE);
}

/** Revisions whose istiod is installed. */
export const revisionsOf = (world: World): { revision: string; version: string }[] =>
  world.store.list('deployments', { labels: { app: 'istiod' } }).flatMap(({ metadata, spec }) => {
    const version = imageVersion(spec?.template?.spec?.containers?.[0]?.image);
    const revision = metadata.labels?.['istio.io/rev'];
    return version === undefined || revision === undefined ? [] : [{ revision, version }];
  });

/** Is an istiod of the revision available? */
export function istiodReady(world: World, revision: string): boolean {
  const deployment = world.store.get('deployments', istiodName(revision), ISTIO_NAMESPACE);
  return deployment !== undefined && (isTrue(deployment, 'Available') || Number(deployment.status?.readyReplicas ?? 0) > 0);
}

const NO_OPT_OUT = { key: 'sidecar.istio.io/inject', operator: 'NotIn', values: ['false'] };

function injector(name: string, revision: string, labels: Record<string, string>, selects: string): KubeObject {
  const webhook = (webhookName: string, namespaceSelector: unknown[], objectSelector: unknown[]): Record<string, unknown> => ({
    name: webhookName,
    failurePolicy: 'Fail',
    sideEffects: 'None',
    reinvocationPolicy: 'Never',
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { name: istiodName(revision), namespace: ISTIO_NAMESPACE, path: '/inject', port: 443 } },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    namespaceSelector: { matchExpressions: namespaceSelector },
    objectSelector: { matchExpressions: objectSelector },
  });
  const webhooks = [
    webhook(
      'rev.namespace.sidecar-injector.istio.io',
      [
        { key: 'istio.io/rev', operator: 'In', values: [selects] },
        { key: 'istio-injection', operator: 'DoesNotExist' },
      ],
      [NO_OPT_OUT],
    ),
    webhook(
      'rev.object.sidecar-injector.istio.io',
      [
        { key: 'istio.io/rev', operator: 'DoesNotExist' },
        { key: 'istio-injection', operator: 'DoesNotExist' },
      ],
      [NO_OPT_OUT, { key: 'istio.io/rev', operator: 'In', values: [selects] }],
    ),
  ];
  if (selects === 'default') {
    webhooks.push(
      webhook('namespace.sidecar-injector.istio.io', [{ key: 'istio-injection', operator: 'In', values: ['enabled'] }], [NO_OPT_OUT]),
      webhook(
        'object.sidecar-injector.istio.io',
        [
          { key: 'istio-injection', operator: 'DoesNotExist' },
          { key: 'istio.io/rev', operator: 'DoesNotExist' },
        ],
        [
          { key: 'sidecar.istio.io/inject', operator: 'In', values: ['true'] },
          { key: 'istio.io/rev', operator: 'DoesNotExist' },
        ],
      ),
    );
  }
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', metadata: { name, labels }, webhooks };
}

function validator(name: string, revision: string): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name, labels: { app: 'istiod', 'istio.io/rev': revision } },
    webhooks: [
      {
        name: 'rev.validation.istio.io',
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { service: { name: istiodName(revision), namespace: ISTIO_NAMESPACE, path: '/validate' } },
        rules: [
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: ['networking.istio.io', 'security.istio.io'],
            apiVersions: ['*'],
            resources: ['*'],
          },
        ],
      },
    ],
  };
}
