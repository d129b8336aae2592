/** The Deployment of Karpenter's controller, by the label that its chart writes. */
import type { KubernetesPort } from '../../contract/ports.ts';
import type { Workload } from '../../clients/kubernetes/objects.ts';

/** In whichever namespace; undefined: there is none. */
export async function findController(port: KubernetesPort): Promise<Workload | undefined> {
  const query = { apiVersion: 'apps/v1', plural: 'deployments', labelSelector: 'app.kubernetes.io/name=karpenter' };
  return (await port.list<Workload>(query))?.[0];
}
