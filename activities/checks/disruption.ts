/** Pod disruption budgets that allow nothing: a node under such a pod will not drain by itself. */
import type { Finding } from '../../domain/findings.ts';
import { type DisruptionBudget, nameOf } from '../kubernetes/shapes.ts';
import type { KubernetesPort } from '../ports.ts';
import { failureType, translateError } from '../translate-errors.ts';
import { finding, nameSome } from './catalogue.ts';

export async function checkDisruptionBudgets(kubernetes: KubernetesPort): Promise<Finding> {
  let budgets: DisruptionBudget[];
  try {
    budgets = (await kubernetes.list<DisruptionBudget>({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' })) ?? [];
  } catch (error) {
    const failure = translateError(error, 'listing pod disruption budgets');
    if (failureType(failure) !== 'AccessDenied') throw failure;
    return finding('BLY-K8S-003', { status: 'unknown', message: failure.message, remediation: 'Allow list on poddisruptionbudgets.' });
  }
  const blocking = budgets.filter(({ status }) => status?.disruptionsAllowed === 0 && (status.expectedPods ?? 0) > 0).map(nameOf);
  if (blocking.length === 0) return finding('BLY-K8S-003', { status: 'pass', message: 'Every disruption budget allows an eviction now.' });
  return finding('BLY-K8S-003', {
    status: 'fail',
    message: `No eviction is allowed now by ${nameSome(blocking)}: nodes with their pods will not drain by themselves.`,
    resources: blocking,
    remediation: 'Add a replica or relax the budget before nodes move; else Belay stops at such a node and asks.',
  });
}
