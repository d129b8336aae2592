/** The step for nodes that neither EKS's node groups nor Karpenter replace. */
import type { ClusterFacts, KubeletFact } from '../../facts.ts';
import type { UpgradePolicy } from '../../policy.ts';
import { compareKubernetesVersions, type KubernetesVersion, tryKubernetesVersion } from '../../version.ts';
import { count, someOf } from '../../words.ts';
import type { Hop } from '../hops.ts';
import type { PlannedStep, StepParams } from '../types.ts';
import { minorsOf, plannedStep } from './step.ts';

type Params = Extract<StepParams, { phase: 'other-nodes' }>;

/** What each part of the step says. */
interface Part {
  what: string;
  why: string;
  next: string;
  back: string;
}

/** undefined: the cluster has no such nodes behind this hop's minor. */
export function otherNodesStep(hop: Hop, facts: ClusterFacts, policy: UpgradePolicy): PlannedStep | undefined {
  const [from, to] = minorsOf(hop);
  const params = paramsFor(hop, facts, to);
  const parts = params.fargate === undefined ? [] : [fargatePart(params.fargate, to)];
  if (parts.length === 0) return undefined;
  const joined = (read: (part: Part) => string): string => parts.map(read).join(' ');
  const what = parts.map((part) => part.what).join(', ');
  return plannedStep(
    hop,
    params,
    {
      title: `${what} → ${to}`,
      why: joined((part) => part.why),
      gate: {
        title: `Replace ${what}?`,
        next: joined((part) => part.next),
        why: `From here going back to ${from} means moving these nodes first as well.`,
      },
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
  return countBehind(facts, 'fargate', hop.to);
}

function paramsFor(hop: Hop, facts: ClusterFacts, to: string): Params {
  const podCount = countBehind(facts, 'fargate', hop.to);
  return {
    phase: 'other-nodes',
    to,
    ...(podCount === 0 ? {} : { fargate: { podCount, namespaces: facts.fargateNamespaces ?? [] } }),
  };
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
    next: `Belay restarts the Deployments and StatefulSets of the ${count(podCount, 'pod')} on Fargate${where}, as their own strategies roll them: a rollout asks no PodDisruptionBudget, and what has one replica may be away for a moment. Pods that nothing re-creates are named and asked about.`,
    back: `Fargate pods at ${to} have to be deleted before the control plane goes back, and come up again after it.`,
  };
}
