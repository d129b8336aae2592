/** Steps for what runs beside Kubernetes: Karpenter's controller, Istio, add-ons. */
import type { KarpenterFact } from '../../facts.ts';
import type { UpgradePolicy } from '../../policy.ts';
import { parseComponentVersion } from '../../component-version.ts';
import { type KarpenterChoice, karpenterSupport } from '../../tables/karpenter.ts';
import { compareKubernetesVersions, formatKubernetesVersion } from '../../version.ts';
import { count, someOf } from '../../words.ts';
import type { Hop } from '../hops.ts';
import { nodeAgentWords } from '../node-agents.ts';
import type { AddOnChange, IstioCanary, PlannedStep } from '../types.ts';
import { minorsOf, plannedStep } from './step.ts';

export function karpenterControllerStep(
  hop: Hop,
  karpenter: KarpenterFact,
  installed: string,
  choice: KarpenterChoice,
  policy: UpgradePolicy,
): PlannedStep {
  const { namespace, deployment } = karpenter;
  const params = {
    phase: 'karpenter-controller' as const,
    from: installed,
    to: choice.version,
    minimum: choice.minimum,
    namespace,
    deployment,
    managedBy: policy.managedBy.karpenter,
  };
  return plannedStep(
    hop,
    params,
    {
      title: `Karpenter ${installed} → ${choice.minor}`,
      why: `Karpenter ${installed} does not support both Kubernetes ${bothOf(hop)}; ${choice.minor} (at least ${choice.minimum}) does${reach(hop, choice)}.`,
      rollback: {
        what: `Karpenter, back to ${installed}`,
        how: `deploy chart ${installed} with the values it had; the newer CRDs stay, they are compatible within v1`,
        until: `the control plane moves to ${formatKubernetesVersion(hop.to)}`,
        cost: 'about 2 minutes without new nodes',
      },
    },
    policy,
  );
}

export function istioStep(hop: Hop, canaries: IstioCanary[], policy: UpgradePolicy): PlannedStep {
  const [first] = canaries;
  const path = [first?.fromVersion, ...canaries.map((canary) => canary.toMinor)].filter((v, i, all) => v !== all[i - 1]);
  const agents = nodeAgentWords(canaries);
  const waveCount = canaries.reduce((sum, canary) => sum + canary.waves.length, 0);
  const params = { phase: 'istio' as const, canaries, managedBy: policy.managedBy.istio, moveBy: policy.istio.moveBy };
  return plannedStep(
    hop,
    params,
    {
      title: `Istio ${path.join(' → ')}`,
      why: `Istio ${first?.fromVersion ?? ''} does not support all of Kubernetes ${hop.ahead.map(formatKubernetesVersion).join(', ')}; every version on the way supports ${bothOf(hop)}.${agents === undefined ? '' : ` ${agents}`}`,
      rollback: {
        what: `each wave, back to the revision it came from`,
        how: `labels or tag as they were, and the same restart; a retired revision has to be installed again with its old values${policy.managedBy.istio === 'helm' ? ' (helm rollback: its record is kept)' : ''}`,
        until: 'its old revision is retired, which has a gate of its own',
        cost: `one more restart of the wave’s workloads (${count(waveCount, 'wave')} in all)`,
      },
    },
    policy,
  );
}

export function addOnsBridgeStep(hop: Hop, changes: AddOnChange[], policy: UpgradePolicy): PlannedStep {
  const params = { phase: 'add-ons-bridge' as const, changes, managedBy: policy.managedBy.addOns };
  return plannedStep(
    hop,
    params,
    {
      title: `Add-ons for ${bothOf(hop)}`,
      why: `${listed(changes)}: the installed versions are not offered on both Kubernetes ${bothOf(hop)}. kube-proxy waits: it may never be ahead of the API server.`,
      rollback: addOnRollback(`the control plane moves to ${formatKubernetesVersion(hop.to)}`),
    },
    policy,
  );
}

export function addOnsTargetStep(hop: Hop, changes: AddOnChange[], policy: UpgradePolicy): PlannedStep {
  const to = formatKubernetesVersion(hop.to);
  const params = { phase: 'add-ons-target' as const, to, changes, managedBy: policy.managedBy.addOns };
  return plannedStep(
    hop,
    params,
    {
      title: `Add-ons to the defaults of ${to}`,
      why: `${listed(changes)}: EKS never updates add-ons with the cluster.`,
      rollback: addOnRollback('a later version is no longer offered beside the old one'),
    },
    policy,
  );
}

function addOnRollback(until: string) {
  return {
    what: 'each add-on, back to its version before',
    how: 'UpdateAddon to the version before, where EKS offers it on the present minor',
    until,
    cost: 'about 2 minutes each',
  };
}

function listed(changes: readonly AddOnChange[]): string {
  return someOf(changes.map((change) => `${change.name} ${change.from} → ${change.to}`));
}

function bothOf(hop: Hop): string {
  return minorsOf(hop).join(' and ');
}

/** How far ahead the chosen version serves, where that is further than this hop. */
function reach(hop: Hop, choice: KarpenterChoice): string {
  const version = parseComponentVersion(choice.version);
  const served = hop.ahead.findLast((minor) => karpenterSupport(version, minor) === 'supported');
  return served === undefined || compareKubernetesVersions(served, hop.to) <= 0
    ? ''
    : `, and serves up to ${formatKubernetesVersion(served)}`;
}
