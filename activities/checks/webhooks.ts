/** Admission webhooks that fail closed and have nobody behind them: no pod could be created where they match, add-ons' and new nodes' included. */
import type { Finding } from '../../domain/findings.ts';
import { someOf } from '../../domain/words.ts';
import { MUTATING, VALIDATING } from '../kubernetes/istio/inventory.ts';
import type { EndpointSlice, Service, WebhookConfiguration } from '../kubernetes/shapes.ts';
import type { KubernetesPort } from '../ports.ts';
import { findingUnless, unknownWhereDenied } from './catalogue.ts';

const RIGHTS = 'list on webhook configurations and endpointslices.discovery.k8s.io, and get on services';

type Webhook = NonNullable<WebhookConfiguration['webhooks']>[number];

interface ServiceName {
  namespace: string;
  name: string;
}

export async function checkWebhooks(kubernetes: KubernetesPort): Promise<Finding> {
  try {
    const orphans: string[] = [];
    for (const query of [VALIDATING, MUTATING]) {
      for (const configuration of (await kubernetes.list<WebhookConfiguration>(query)) ?? []) {
        for (const [key, service] of servicesOf(configuration)) {
          const lack = await lackOf(kubernetes, service);
          if (lack !== undefined) orphans.push(`${configuration.metadata.name} (Service ${key} ${lack})`);
        }
      }
    }
    return findingUnless('K8S011', orphans, {
      pass: 'Every webhook that must answer before a pod is created has somebody behind it.',
      fail: `Nobody behind ${someOf(orphans)}, and failurePolicy is Fail: pods that match cannot be created.`,
      remediation: 'Bring the Service and its pods back, or delete the webhook configuration if its owner is gone.',
    });
  } catch (error) {
    return unknownWhereDenied('K8S011', error, 'listing webhooks', RIGHTS);
  }
}

/** Services by `namespace/name` that stand behind the webhooks, each once: Istio's configurations have four webhooks and one Service. */
function servicesOf({ webhooks = [] }: WebhookConfiguration): Map<string, ServiceName> {
  const services = webhooks.filter(holdsUpPods).flatMap(({ clientConfig }) => clientConfig?.service ?? []);
  return new Map(services.map((service) => [`${service.namespace}/${service.name}`, service]));
}

/** undefined: a ready endpoint is there, or the Service is another one's name (ExternalName), which has no endpoints. */
async function lackOf(kubernetes: KubernetesPort, { namespace, name }: ServiceName): Promise<string | undefined> {
  const service = await kubernetes.get<Service>({ apiVersion: 'v1', plural: 'services', namespace, name });
  if (service === undefined) return 'is not there';
  if (service.spec?.type === 'ExternalName') return undefined;
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const slices = await kubernetes.list<EndpointSlice>({
    apiVersion: 'discovery.k8s.io/v1',
    plural: 'endpointslices',
    namespace,
    labelSelector,
  });
  // An absent condition means ready (discovery.k8s.io/v1, EndpointConditions).
  const ready = (slices ?? []).some(({ endpoints }) => (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false));
  return ready ? undefined : 'has no ready endpoint';
}

/** Asked for each new pod, through a Service, and no without an answer. Fail is the default of admissionregistration.k8s.io/v1. */
function holdsUpPods({ failurePolicy = 'Fail', clientConfig, rules = [] }: Webhook): boolean {
  if (failurePolicy !== 'Fail' || clientConfig?.service === undefined) return false;
  return rules.some(
    ({ apiGroups = [], operations = [], resources = [] }) =>
      meets(apiGroups, '') && meets(operations, 'CREATE') && (meets(resources, 'pods') || resources.includes('*/*')),
  );
}

const meets = (patterns: readonly string[], wanted: string): boolean => patterns.includes('*') || patterns.includes(wanted);
