/** Admission webhooks that fail closed and have nobody behind them: no pod could be created where they match, add-ons' and new nodes' included. */
import type { Finding } from '../../domain/findings.ts';
import { someOf } from '../../domain/words.ts';
import { MUTATING, VALIDATING } from '../kubernetes/istio/inventory.ts';
import type { Service, WebhookConfiguration } from '../kubernetes/shapes.ts';
import type { KubernetesPort } from '../ports.ts';
import { findingUnless, unknownWhereDenied } from './catalogue.ts';

type Webhook = NonNullable<WebhookConfiguration['webhooks']>[number];

export async function checkWebhooks(kubernetes: KubernetesPort): Promise<Finding> {
  try {
    const orphans: string[] = [];
    for (const query of [VALIDATING, MUTATING]) {
      for (const { metadata, webhooks = [] } of (await kubernetes.list<WebhookConfiguration>(query)) ?? []) {
        for (const webhook of webhooks.filter(holdsUpPods)) {
          const { name, namespace } = webhook.clientConfig?.service ?? { name: '', namespace: '' };
          const service = await kubernetes.get<Service>({ apiVersion: 'v1', plural: 'services', namespace, name });
          if (service === undefined) orphans.push(`${metadata.name} (Service ${namespace}/${name})`);
        }
      }
    }
    return findingUnless('BLY-K8S-011', [...new Set(orphans)], {
      pass: 'Every webhook that must answer before a pod is created has its Service.',
      fail: `No Service behind ${someOf([...new Set(orphans)])}, and failurePolicy is Fail: pods that match cannot be created.`,
      remediation: 'Restore the Service, or delete the webhook configuration if its owner is gone.',
    });
  } catch (error) {
    return unknownWhereDenied('BLY-K8S-011', error, 'listing webhooks', 'list on webhook configurations and get on services');
  }
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
