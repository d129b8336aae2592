/** The step for nodes that neither EKS's node groups nor Karpenter replace. */
import type { ClusterFacts, KubeletFact } from '../../facts/facts.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { compareKubernetesVersions, type KubernetesVersion, tryKubernetesVersion } from '../../core/version.ts';
import { count, someOf } from '../../core/text.ts';
import type { Hop } from '../model/hops.ts';
import type { StepParams } from '../model/step-params.ts';
import type { PlannedStep } from '../model/types.ts';
import { autoModePoolsOfOnesOwn } from '../state/nodes.ts';
import { autoscalerToPause, pauseWords } from './autoscaler.ts';
import { sparing } from './istiod.ts';
import { minorsOf, plannedStep } from './step.ts';
import { defined } from '../../core/defined.ts';

type Params = Extract<StepParams, { phase: 'other-nodes' }>;

/** What each part of the step says. `next`: empty where nothing is to be decided. */
interface Part {
  what: string;
  why: string;
  next: string;
  back: string;
}

/** undefined: the cluster has no such nodes behind this hop's minor. */
export function otherNodesStep(hop: Hop, facts: ClusterFacts, policy: UpgradePolicy): PlannedStep | undefined {
  const [from, to] = minorsOf(hop);
  const params = paramsFor(hop, facts, policy, to);
  const { fargate, selfManaged, autoMode } = params;
  const parts = [
    ...(autoMode === undefined ? [] : [autoModePart(autoMode)]),
    ...(fargate === undefined ? [] : [fargatePart(fargate, to)]),
    ...(selfManaged === undefined ? [] : [selfManagedPart(selfManaged, from, to)]),
  ];
  if (parts.length === 0) return undefined;
  const joined = (read: (part: Part) => string): string =>
    parts
      .map(read)
      .filter((text) => text !== '')
      .join(' ');
  const what = parts.map((part) => part.what).join(', ');
  return plannedStep(
    hop,
    params,
    {
      title: `${what} → ${to}`,
      why: joined((part) => part.why),
      ...(fargate === undefined && selfManaged === undefined
        ? {}
        : {
            gate: {
              title: `Replace ${parts
                .filter(({ next }) => next !== '')
                .map((part) => part.what)
                .join(', ')}?`,
              next: joined((part) => part.next),
              why: `Going back to ${from} then means moving these nodes first.`,
            },
          }),
      rollback: {
        what: `${what}, back to ${from}`,
        how: joined((part) => part.back),
        until: `7 days after the control plane's update`,
        cost: 'the same restarts once more',
      },
    },
    policy,
  );
}

/** How many nodes the step replaces. */
export function otherNodeCount(hop: Hop, facts: ClusterFacts): number {
  return (autoModeNodes(hop, facts)?.nodeCount ?? 0) + countBehind(facts, 'fargate', hop.to) + countBehind(facts, 'self-managed', hop.to);
}

function paramsFor(hop: Hop, facts: ClusterFacts, policy: UpgradePolicy, to: string): Params {
  const autoMode = autoModeNodes(hop, facts);
  const podCount = countBehind(facts, 'fargate', hop.to);
  const nodeCount = countBehind(facts, 'self-managed', hop.to);
  const groups = facts.selfManagedGroups ?? [];
  const refresh = groups.length === 0 ? undefined : refreshOf(facts, policy);
  return {
    phase: 'other-nodes',
    to,
    ...defined({ autoMode }),
    ...(podCount === 0 ? {} : { fargate: { podCount, namespaces: facts.fargateNamespaces ?? [] } }),
    ...(nodeCount === 0 ? {} : { selfManaged: { nodeCount, groups, ...defined({ refresh }) } }),
  };
}

/** undefined: people replace these nodes. */
export function refreshOf(facts: ClusterFacts, policy: UpgradePolicy): NonNullable<Params['selfManaged']>['refresh'] {
  const { selfManaged, minHealthyPercent = 100 } = policy.nodeGroups;
  if (selfManaged !== 'refresh') return undefined;
  const autoscaler = autoscalerToPause(facts, policy);
  return { minHealthyPercent, ...defined({ autoscaler }), ...sparing(facts) };
}

/** Those of built-in pools; all of them where the pools are not known. undefined: there are none. */
function autoModeNodes(hop: Hop, facts: ClusterFacts): Params['autoMode'] {
  const frozen = autoModePoolsOfOnesOwn(facts);
  const nodeCount = countBehind(facts, 'auto-mode', hop.to) - frozen.reduce((sum, pool) => sum + pool.nodeCount, 0);
  return nodeCount <= 0 ? undefined : { nodeCount, frozenPools: frozen.map(({ name }) => name) };
}

function countBehind(facts: ClusterFacts, owner: KubeletFact['owner'], to: KubernetesVersion): number {
  const behind = facts.kubelets.filter((kubelet) => {
    const minor = tryKubernetesVersion(kubelet.minor);
    return kubelet.owner === owner && minor !== undefined && compareKubernetesVersions(minor, to) < 0;
  });
  return behind.reduce((sum, kubelet) => sum + kubelet.count, 0);
}

/** Fargate gives each pod a node of its own with the control plane's version of that moment (EKS user guide, "Fargate pod patching"). */
function fargatePart({ podCount, namespaces }: NonNullable<Params['fargate']>, to: string): Part {
  const where = namespaces.length === 0 ? '' : ` in ${someOf(namespaces)}`;
  return {
    what: `${count(podCount, 'pod')} on Fargate`,
    why: `A pod on Fargate keeps the kubelet that it was started with: what owns the ${count(podCount, 'pod')}${where} is restarted, one namespace at a time.`,
    next: `Belay restarts the Deployments and StatefulSets of the ${count(podCount, 'pod')} on Fargate${where}, by their own strategies: rollouts ignore PodDisruptionBudgets, and single replicas may be away briefly. It asks about pods that nothing recreates.`,
    back: `Fargate pods at ${to} must be deleted before the control plane goes back, and return after it.`,
  };
}

function selfManagedPart({ nodeCount, groups, refresh }: NonNullable<Params['selfManaged']>, from: string, to: string): Part {
  const nodes = count(nodeCount, 'self-managed node');
  const names = someOf(groups.map(({ name }) => name));
  const where = names === '' ? '' : ` of ${names}`;
  return {
    what: nodes,
    why: `EKS moves neither the ${nodes}${where} nor their AMI.`,
    next:
      refresh === undefined
        ? `Belay asks you to replace the ${nodes}${where}, with the commands, and waits until their kubelets are at ${to}.`
        : `Belay shows for each group how its ${nodes}${where} are replaced by an instance refresh, and asks before each; groups that are kept as code are asked for.${pauseWords(refresh.autoscaler)}`,
    back: `Replace them by nodes of ${from}, as they were replaced.`,
  };
}

/** EKS replaces them as soon as the control plane is there, within their budgets (EKS user guide, "Update the Kubernetes Version of an EKS Auto Mode cluster"). */
function autoModePart({ nodeCount }: NonNullable<Params['autoMode']>): Part {
  const nodes = count(nodeCount, 'Auto Mode node');
  return {
    what: nodes,
    why: `EKS replaces the ${nodes} of its built-in pools by itself, and has begun when the control plane moved: they are watched to the end, and what blocks one is named.`,
    next: '',
    back: 'EKS takes Auto Mode nodes back by itself as the first part of its version rollback.',
  };
}
