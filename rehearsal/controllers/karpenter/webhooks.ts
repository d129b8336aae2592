/** Karpenter's Service, the admission webhooks of 0.32 to 0.37, and what it fills into the definitions that it converts. */
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { converts, webhooksByDefault } from './definitions.ts';
import { isSince } from './migration/versions.ts';

const GROUPS = ['karpenter.k8s.aws', 'karpenter.sh'];
const OF_HELM = { 'app.kubernetes.io/managed-by': 'Helm' };

interface Admission {
  plural: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations';
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';
  name: string;
  /** Of v1beta1. */
  rules: readonly { apiGroups: string[]; resources: string[] }[];
}

/** Only 0.32 to 0.37 serve them. */
export const ADMISSION: readonly Admission[] = [
  {
    plural: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    name: 'defaulting.webhook.karpenter.k8s.aws',
    rules: [{ apiGroups: ['karpenter.k8s.aws'], resources: ['ec2nodeclasses', 'ec2nodeclasses/status'] }],
  },
  {
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    name: 'validation.webhook.karpenter.k8s.aws',
    rules: [{ apiGroups: ['karpenter.k8s.aws'], resources: ['ec2nodeclasses', 'ec2nodeclasses/status'] }],
  },
  {
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    name: 'validation.webhook.karpenter.sh',
    rules: [{ apiGroups: ['karpenter.sh'], resources: ['nodeclaims', 'nodeclaims/status', 'nodepools', 'nodepools/status'] }],
  },
  {
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    name: 'validation.webhook.config.karpenter.sh',
    rules: [],
  },
];

interface Release {
  name: string;
  namespace: string;
  version: string;
  port: number;
  /** The value webhook.enabled. */
  enabled: boolean;
  /** Made by Helm, which takes them away as well. */
  prunes: boolean;
}

/** The parts of the chart karpenter that come and go with webhooks. */
export function rollWebhooks(world: World, release: Release): void {
  const { name, namespace, version, port, enabled, prunes } = release;
  const ports = [
    { name: 'http-metrics', port: isSince(version, '1.0') ? 8080 : 8000, targetPort: 'http-metrics', protocol: 'TCP' },
    ...(enabled && !isSince(version, '1.1') ? [{ name: 'https-webhook', port, targetPort: 'https-webhook', protocol: 'TCP' }] : []),
  ];
  const selector = { 'app.kubernetes.io/name': 'karpenter', 'app.kubernetes.io/instance': 'karpenter' };
  if (world.store.get('services', name, namespace) !== undefined)
    world.store.update('services', name, namespace, ({ spec }) => void (spec.ports = ports));
  else
    world.store.create('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, labels: { ...selector, ...OF_HELM } },
      spec: { type: 'ClusterIP', selector, ports },
    });
  const wanted = enabled && isSince(version, '0.32') && !isSince(version, '1.0');
  for (const admission of ADMISSION) {
    const known = world.store.get(admission.plural, admission.name);
    if (wanted && known === undefined) addAdmission(world, admission, release);
    else if (!wanted && known !== undefined && prunes) world.store.delete(admission.plural, admission.name);
  }
}

/** What a webhook is called for. */
export function matchOf(rules: Admission['rules']): object {
  if (rules.length === 0) return { objectSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'karpenter' } } };
  return { rules: rules.map((rule) => ({ ...rule, apiVersions: ['v1beta1'], operations: ['CREATE', 'UPDATE'], scope: '*' })) };
}

function addAdmission(world: World, { plural, kind, name, rules }: Admission, release: Release): void {
  const marks = release.prunes
    ? { labels: OF_HELM, annotations: { 'meta.helm.sh/release-name': 'karpenter', 'meta.helm.sh/release-namespace': release.namespace } }
    : {};
  const service = { name: release.name, namespace: release.namespace, port: release.port };
  world.store.create(plural, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name, ...marks },
    webhooks: [
      {
        name,
        admissionReviewVersions: ['v1'],
        clientConfig: { service },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        ...matchOf(rules),
      },
    ],
  });
}

interface Container {
  name: string;
  env?: { name: string; value?: string }[];
}

/** Does the pod of that version answer the API server's webhooks? */
function answers(pod: KubeObject, version: string): boolean {
  const containers: Container[] = pod.spec?.containers ?? [];
  const said = containers.find(({ name }) => name === 'controller')?.env?.find(({ name }) => name === 'DISABLE_WEBHOOK')?.value;
  return said === undefined ? webhooksByDefault(version) : said === 'false';
}

/** The certificate and the path of its conversion, as long as it answers: without them the API server cannot call it. */
export function fillConversion(world: World, pod: KubeObject, version: string): void {
  if (!converts(version) || !answers(pod, version)) return;
  for (const { metadata, spec } of world.store.list('customresourcedefinitions')) {
    const config = spec.conversion?.webhook?.clientConfig;
    if (!GROUPS.includes(spec.group) || config?.service === undefined || config.caBundle !== undefined) continue;
    world.store.update('customresourcedefinitions', metadata.name, undefined, ({ spec: copy }) => {
      const { clientConfig } = copy.conversion.webhook;
      clientConfig.caBundle = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');
      clientConfig.service.path = `/conversion/${spec.group}`;
    });
  }
}
