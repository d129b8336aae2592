/** Pod disruption budgets that allow nothing: a node under such a pod will not drain by itself. */
import type { Finding } from '../../domain/findings.ts';
import { someOf } from '../../domain/words.ts';
import { type DisruptionBudget, nameOf } from '../kubernetes/shapes.ts';
import type { KubernetesPort } from '../ports.ts';
import { findingUnless, unknownWhereDenied } from './catalogue.ts';

export async function checkDisruptionBudgets(kubernetes: KubernetesPort): Promise<Finding> {
  let budgets: DisruptionBudget[];
  try {
    budgets = (await kubernetes.list<DisruptionBudget>({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' })) ?? [];
  } catch (error) {
    return unknownWhereDenied('BLY-K8S-003', error, 'listing pod disruption budgets', 'list on poddisruptionbudgets');
  }
  const blocking = budgets.filter(({ status }) => status?.disruptionsAllowed === 0 && (status.expectedPods ?? 0) > 0).map(nameOf);
  return findingUnless('BLY-K8S-003', blocking, {
    pass: 'Every disruption budget allows an eviction now.',
    fail: `No eviction is allowed now by ${someOf(blocking)}: nodes with their pods will not drain by themselves.`,
    remediation: 'Add a replica or relax the budget before nodes move; else Belay stops at such a node and asks.',
  });
}
