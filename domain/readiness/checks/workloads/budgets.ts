/** PodDisruptionBudgets: missing, doubled, without pods, and those that can never let a pod go. */
import { matches } from '../../../core/label-selectors.ts';
import { whyNever } from '../../../facts/disruption/disruption-budget.ts';
import { agree, count, someOf } from '../../../core/text.ts';
import { type Check, check, type Resource } from '../../model/check.ts';
import { moves, nameOf, replicasOf, resourceOf } from '../../model/names.ts';
import type { NodeSeen } from '../../model/evidence.ts';
import type { BudgetSeen, PodSeen, WorkloadSeen } from '../../model/evidence-workloads.ts';

const PDB_TASK = 'https://kubernetes.io/docs/tasks/run-application/configure-pdb/';

/** Even with every pod healthy: why this budget lets none go. undefined: it does. */
function neverLets(budget: BudgetSeen): string | undefined {
  const { expectedPods = 0, uncounted } = budget;
  if (uncounted !== undefined) return uncounted;
  return expectedPods === 0 ? undefined : whyNever(budget, expectedPods);
}

const COUNT_THEM = 'Set minAvailable to a whole number: for maxUnavailable or a percentage, every pod needs a controller with a scale.';

function neverLook(budgets: readonly BudgetSeen[]): { fail: string; resources: Resource[] } {
  const never = budgets.flatMap((each): Resource[] => {
    const why = neverLets(each);
    return why === undefined ? [] : [{ ...resourceOf('PodDisruptionBudget', each), note: why }];
  });
  return {
    fail: `${count(never.length, 'disruption budget')} can never allow an eviction: nodes under ${agree(never.length, 'its', 'their')} pods will not drain.`,
    resources: never,
  };
}

/** A budget with neither number holds nothing up. */
const covers = (budget: BudgetSeen, { namespace, podLabels }: WorkloadSeen): boolean =>
  budget.namespace === namespace && (budget.minAvailable ?? budget.maxUnavailable) !== undefined && matches(budget.selector, podLabels);

/**
 * Finished and static pods are never evicted. Those of DaemonSets are by Karpenter alone, which leaves those that tolerate its taint (sigs.k8s.io/karpenter
 * pkg/utils/pod/scheduling.go, IsEvictable).
 */
function isEvicted({ phase, controller, node = '', toleratesDrain }: PodSeen, ofKarpenter: ReadonlySet<string>): boolean {
  if (phase === 'Succeeded' || phase === 'Failed' || controller?.kind === 'Node') return false;
  return ofKarpenter.has(node) ? toleratesDrain !== true : controller?.kind !== 'DaemonSet';
}

/** EKS Auto Mode runs a Karpenter of its own. */
const karpentersNodes = (nodes: readonly NodeSeen[]): ReadonlySet<string> =>
  new Set(nodes.filter(({ owner }) => owner === 'karpenter' || owner === 'auto-mode').map(({ name }) => name));

export const budgetChecks: readonly Check[] = [
  check({
    code: 'K8S003',
    area: 'Kubernetes',
    title: 'Disruption budgets allow an eviction now',
    severity: 'recommended',
    reads: ['budgets'],
    remediation: 'Add a replica or relax the budget before nodes move; otherwise Belay asks.',
    source: PDB_TASK,
    look({ budgets }) {
      const blocking = budgets.filter(
        (each) => each.disruptionsAllowed === 0 && (each.expectedPods ?? 0) > 0 && neverLets(each) === undefined,
      );
      if (blocking.length === 0) return { pass: 'Every disruption budget that ever allows an eviction allows one now.' };
      return {
        fail: `No eviction is allowed now by ${someOf(blocking.map(nameOf))}: ${agree(blocking.length, 'its', 'their')} pods are not all healthy.`,
        resources: blocking.map((each) => resourceOf('PodDisruptionBudget', each)),
      };
    },
  }),
  check({
    code: 'K8S018',
    area: 'Kubernetes',
    title: 'Disruption budgets can be kept while a pod moves',
    severity: 'required',
    reads: ['budgets'],
    remediation: 'Set maxUnavailable to 1, or run one replica more than minAvailable.',
    source: PDB_TASK,
    look({ budgets }) {
      // What helps one kind does not help the other.
      const { counted = [], uncounted = [] } = Object.groupBy(budgets, (each) => (each.uncounted === undefined ? 'counted' : 'uncounted'));
      const looks = [neverLook(counted), { ...neverLook(uncounted), remediation: COUNT_THEM }].filter(
        ({ resources }) => resources.length > 0,
      );
      return looks.length > 0 ? looks : { pass: 'Every disruption budget allows an eviction when its pods are healthy.' };
    },
  }),
  check({
    code: 'K8S013',
    area: 'Kubernetes',
    title: 'No pod has more than one disruption budget',
    severity: 'required',
    reads: ['budgets', 'pods', 'nodes'],
    remediation: 'Delete the others, or narrow their selectors: evicting such pods fails with 500.',
    source: 'https://github.com/kubernetes/kubernetes/blob/HEAD/pkg/registry/core/pod/storage/eviction.go',
    look({ budgets, pods, nodes }) {
      const byNamespace = Map.groupBy(budgets, ({ namespace }) => namespace);
      const ofKarpenter = karpentersNodes(nodes);
      const evicted = pods.filter((pod) => isEvicted(pod, ofKarpenter));
      const held = evicted.flatMap((pod): Resource[] => {
        const own = (byNamespace.get(pod.namespace) ?? []).filter(({ selector }) => matches(selector, pod.labels));
        return own.length < 2 ? [] : [{ ...resourceOf('Pod', pod), note: own.map(({ name }) => name).join(', ') }];
      });
      if (held.length === 0) return { pass: 'No pod is matched by more than one disruption budget.' };
      return {
        fail: `${count(held.length, 'pod')} with more than one disruption budget: eviction refuses ${agree(held.length, 'it, so its node', 'them, so their nodes')} will not drain.`,
        resources: held,
      };
    },
  }),
  check({
    code: 'K8S017',
    area: 'Kubernetes',
    title: 'Workloads have a disruption budget',
    severity: 'recommended',
    reads: ['budgets', 'workloads'],
    remediation: 'Add a PodDisruptionBudget with maxUnavailable: 1: drains then take one pod at a time.',
    source: PDB_TASK,
    look({ budgets, workloads }) {
      const byNamespace = Map.groupBy(budgets, ({ namespace }) => namespace);
      const isCovered = (each: WorkloadSeen): boolean => byNamespace.get(each.namespace)?.some((budget) => covers(budget, each)) === true;
      const bare = workloads.filter((each) => moves(each) && replicasOf(each) > 1 && !isCovered(each));
      if (bare.length === 0) return { pass: 'Every workload with more than one replica has a disruption budget.' };
      return {
        fail: `${count(bare.length, 'workload')} without a disruption budget: all replicas may go at once.`,
        resources: bare.map((each) => resourceOf(each.kind, each)),
      };
    },
  }),
  check({
    code: 'K8S019',
    area: 'Kubernetes',
    title: 'Disruption budgets match pods',
    severity: 'recommended',
    reads: ['budgets', 'pods'],
    remediation: 'Correct the selector, or delete the budget.',
    source: PDB_TASK,
    look({ budgets, pods }) {
      // expectedPods is 0 as well where Kubernetes cannot count the pods.
      const idle = budgets.filter(
        ({ expectedPods, namespace, selector }) =>
          expectedPods === 0 && !pods.some((pod) => pod.namespace === namespace && matches(selector, pod.labels)),
      );
      if (idle.length === 0) return { pass: 'Every disruption budget protects pods.' };
      return {
        fail: `${count(idle.length, 'disruption budget')} without pods: what ${agree(idle.length, 'it was', 'they were')} written for is not protected.`,
        resources: idle.map((each) => resourceOf('PodDisruptionBudget', each)),
      };
    },
  }),
];
