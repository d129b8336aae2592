/** Pod disruption budgets that let no pod go: a node under such a pod will not drain by itself. */
import type { Finding } from '../../domain/findings.ts';
import { someOf } from '../../domain/words.ts';
import { matches } from '../../domain/label-selectors.ts';
import { type DisruptionBudget, nameOf, needsEviction, type Pod } from '../kubernetes/shapes.ts';
import type { KubernetesPort } from '../ports.ts';
import { findingUnless, unknownWhereDenied } from './catalogue.ts';

export async function checkDisruptionBudgets(kubernetes: KubernetesPort): Promise<Finding[]> {
  let budgets: DisruptionBudget[];
  try {
    budgets = (await kubernetes.list<DisruptionBudget>({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' })) ?? [];
  } catch (error) {
    const why = ['listing pod disruption budgets', 'list on poddisruptionbudgets'] as const;
    return [unknownWhereDenied('K8S003', error, ...why), unknownWhereDenied('K8S013', error, ...why)];
  }
  return [checkExhausted(budgets), await checkTwoBudgets(kubernetes, budgets)];
}

function checkExhausted(budgets: readonly DisruptionBudget[]): Finding {
  const blocking = budgets.filter(({ status }) => status?.disruptionsAllowed === 0 && (status.expectedPods ?? 0) > 0).map(nameOf);
  return findingUnless('K8S003', blocking, {
    pass: 'Every disruption budget allows an eviction now.',
    fail: `No eviction is allowed now by ${someOf(blocking)}: nodes with their pods will not drain by themselves.`,
    remediation: 'Add a replica or relax the budget before nodes move; else Belay stops at such a node and asks.',
  });
}

/** Eviction answers 500 for a pod with more than one budget, however much each of them allows (kubernetes/pkg/registry/core/pod/storage/eviction.go). */
async function checkTwoBudgets(kubernetes: KubernetesPort, budgets: readonly DisruptionBudget[]): Promise<Finding> {
  const held: string[] = [];
  try {
    for (const [namespace, own] of Map.groupBy(budgets, ({ metadata }) => metadata.namespace)) {
      if (own.length < 2) continue;
      const isHeld = (pod: Pod): boolean => needsEviction(pod) && budgetsOver(pod, own).length > 1;
      const pods = await kubernetes.list<Pod>({ apiVersion: 'v1', plural: 'pods', namespace }, (pod) => (isHeld(pod) ? pod : undefined));
      held.push(...(pods ?? []).map((pod) => `${nameOf(pod)} (${budgetsOver(pod, own).join(', ')})`));
    }
  } catch (error) {
    return unknownWhereDenied('K8S013', error, 'listing pods', 'list on pods');
  }
  return findingUnless('K8S013', held, {
    pass: 'No pod is matched by more than one disruption budget.',
    fail: `Matched by more than one disruption budget: ${someOf(held)}. Eviction refuses such pods, so their nodes will not drain.`,
    remediation: 'Leave one budget per pod: delete the other, or narrow its selector.',
  });
}

/** Names of the budgets that select the pod. */
function budgetsOver({ metadata }: Pod, budgets: readonly DisruptionBudget[]): string[] {
  return budgets.filter(({ spec }) => matches(spec?.selector, metadata.labels)).map((budget) => budget.metadata.name);
}
