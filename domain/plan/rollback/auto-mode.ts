/** Nodes of EKS Auto Mode, which EKS itself takes back before the control plane: what would hold them, and how long they may take. */
import type { AutoModePoolFact, BudgetEntry, ClusterFacts } from '../../facts/facts.ts';
import type { Timing } from '../../policy/policy.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../core/version.ts';
import { count, duration, someOf } from '../../core/text.ts';
import type { FindingInput } from '../findings/finding.ts';
import type { StepParams } from '../model/step-params.ts';
import { nodesAhead } from './nodes.ts';

export type AutoModeBack = NonNullable<Extract<StepParams, { phase: 'control-plane-back' }>['autoMode']>;

const MINUTE_MS = 60_000;
const CODE = 'RBK004';

/** Minutes that EKS takes for RollbackConfig.timeoutMinutes (EKS API reference), and what it takes where nothing is said. */
export const ROLLBACK_MINUTES = { min: 120, max: 10_080, usual: 720 };

/** undefined: no Auto Mode. */
export function autoModeBack(facts: ClusterFacts, backTo: KubernetesVersion, timing: Timing): AutoModeBack | undefined {
  if (!facts.controlPlane.autoMode) return undefined;
  const { autoModeRollbackMs } = timing;
  const wanted = Math.round(autoModeRollbackMs / MINUTE_MS);
  const timeoutMinutes = Math.min(ROLLBACK_MINUTES.max, Math.max(ROLLBACK_MINUTES.min, wanted));
  return { nodeCount: aheadCount(facts, backTo), timeoutMinutes };
}

/** Why EKS would not get its nodes back: it honours budgets and node-level marks even where a rollback is forced. */
export function autoModeFindings({ facts, backTo }: { facts: ClusterFacts; backTo: KubernetesVersion }): FindingInput[] {
  if (!facts.controlPlane.autoMode) return [];
  const pools = facts.autoModePools;
  const nodeCount = aheadCount(facts, backTo);
  const minor = formatKubernetesVersion(backTo);
  const title = `EKS can take the nodes of Auto Mode back to ${minor}`;
  if (pools === undefined)
    return [
      { code: CODE, title, status: 'unknown', message: 'NodePools of Auto Mode cannot be seen, so neither can what holds their nodes.' },
    ];
  const inUse = pools.filter((pool) => pool.nodeCount > 0);
  // Where no node has to go back a budget holds nothing; whether EKS minds it all the same, its own insights say before it is asked.
  const severity = nodeCount === 0 ? ('recommended' as const) : ('required' as const);
  const found = [
    ...frozen(inUse, facts.cluster.name).map((one): FindingInput => ({ ...one, code: CODE, title, severity })),
    ...marked(inUse).map((one): FindingInput => ({ ...one, code: CODE, title, severity })),
  ];
  if (found.length > 0) return found;
  const words = nodeCount === 0 ? 'None of them is newer.' : `${count(nodeCount, 'node')}, which EKS rolls back before the control plane.`;
  return [{ code: CODE, title, status: 'pass', message: words }];
}

type Found = Pick<FindingInput, 'message' | 'resources' | 'remediation'>;

function frozen(pools: readonly AutoModePoolFact[], cluster: string): Found[] {
  const held = pools.filter(({ budgets }) => budgets?.some(forbidsDrift) === true);
  const own = held.filter(({ frozenBy }) => frozenBy !== undefined);
  const others = held.filter(({ frozenBy }) => frozenBy === undefined);
  return [
    ...found(own, 'is still frozen by an upgrade of Belay', `Lift the freeze: belay reconcile ${cluster} --roll; then ask again.`),
    ...found(
      others,
      'has a budget of nodes: "0"',
      'Give these NodePools a budget that lets nodes go (spec.disruption.budgets), through whoever keeps them as code; then ask again.',
    ),
  ];
}

function found(pools: readonly AutoModePoolFact[], what: string, remediation: string): Found[] {
  if (pools.length === 0) return [];
  const names = pools.map(({ name }) => name);
  return [{ message: `NodePool ${someOf(names)} ${what}: EKS replaces none of its nodes.`, resources: names, remediation }];
}

/** With a schedule it forbids it at times: EKS waits, and has its own limit. */
function forbidsDrift({ nodes, reasons, schedule }: BudgetEntry): boolean {
  return (nodes === '0' || nodes === '0%') && schedule === undefined && (reasons === undefined || reasons.includes('Drifted'));
}

function marked(pools: readonly AutoModePoolFact[]): Found[] {
  const names = pools.flatMap(({ markedNodes }) => markedNodes?.names ?? []);
  const nodeCount = pools.reduce((sum, { markedNodes }) => sum + (markedNodes?.count ?? 0), 0);
  if (nodeCount === 0) return [];
  return [
    {
      message: `${count(nodeCount, 'node')} of Auto Mode ${nodeCount === 1 ? 'has' : 'have'} the annotation karpenter.sh/do-not-disrupt: EKS does not replace ${nodeCount === 1 ? 'it' : 'them'}.`,
      resources: names,
      remediation: `Ask who has set it, then: kubectl annotate node ${names[0] ?? 'NAME'} karpenter.sh/do-not-disrupt-`,
    },
  ];
}

function aheadCount(facts: ClusterFacts, backTo: KubernetesVersion): number {
  return nodesAhead(facts, backTo)
    .filter(({ owner }) => owner === 'auto-mode')
    .reduce((sum, each) => sum + each.count, 0);
}

/** For a gate: what comes first, how long it may take, and until when it can be cancelled. */
export function autoModeWords({ nodeCount, timeoutMinutes }: AutoModeBack): string {
  const limit = duration(timeoutMinutes * MINUTE_MS);
  return nodeCount === 0
    ? ` Auto Mode nodes are no newer, so EKS has none to roll back first.`
    : ` EKS first replaces ${count(nodeCount, 'node')} of Auto Mode by older ones, within the budgets of their NodePools and pods, for at most ${limit}. Until the control plane itself moves, aborting this run cancels it.`;
}
