/** What faults do to pods as they are created. */
import { matchesSelector } from '../../../kubernetes/selectors.ts';
import { type KubeObject, StoreError } from '../../../kubernetes/store.ts';
import type { World } from '../../world.ts';
import { waitForVolume } from '../volumes.ts';

export const BLOCKING_WEBHOOK = 'policy-without-service';

/** An admission function for the object store. Throws as the API server does where a webhook with failurePolicy Fail has no service. */
export function createFaultAdmission(world: () => World): (pod: KubeObject) => void {
  return (pod) => {
    const { store } = world();
    const [webhook] = store.get('validatingwebhookconfigurations', BLOCKING_WEBHOOK)?.['webhooks'] ?? [];
    const namespace = pod.metadata.namespace ?? 'default';
    const labels = { ...store.get('namespaces', namespace)?.metadata.labels, 'kubernetes.io/metadata.name': namespace };
    if (webhook !== undefined && matchesSelector(webhook.namespaceSelector, labels)) {
      const { name, namespace: where } = webhook.clientConfig.service;
      const url = `https://${name}.${where}.svc:443/validate?timeout=10s`;
      throw new StoreError(
        500,
        'InternalError',
        `Internal error occurred: failed calling webhook "${webhook.name}": failed to call webhook: Post "${url}": service "${name}" not found`,
      );
    }
    waitForVolume(world(), pod);
  };
}
