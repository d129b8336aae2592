/** The Deployment of Karpenter's controller, by the label that its chart writes. */
import type { KubernetesPort } from '../../contract/ports.ts';
import { nameOf, type Workload } from '../../clients/kubernetes/objects.ts';
import { runningDeployments } from '../../../domain/facts/running-deployments.ts';
import { someOf } from '../../../domain/core/text.ts';
import { failureOf } from '../../runtime/translate-errors.ts';

const LABEL = 'app.kubernetes.io/name=karpenter';

/**
 * In whichever namespace; undefined: there is none. One that is scaled to 0, as a move between namespaces leaves behind, gives way to one that is not.
 * Whoever may create a Deployment in any namespace can write the label: where several remain it throws InvalidRequest, which names them, since the version
 * of the wrong one would decide whether Karpenter is upgraded before the control plane.
 */
export async function findController(port: KubernetesPort): Promise<Workload | undefined> {
  const found = (await port.list<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', labelSelector: LABEL })) ?? [];
  const [controller, ...others] = runningDeployments(found);
  if (controller === undefined || others.length === 0) return controller;
  const names = [controller, ...others].map(nameOf);
  throw failureOf(
    'InvalidRequest',
    `finding Karpenter's controller: ${names.length} Deployments have the label ${LABEL} (${someOf(names)}); delete those that are not Karpenter, or take the label off them`,
  );
}
