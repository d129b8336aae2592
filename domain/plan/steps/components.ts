/** Steps for what runs beside Kubernetes: Karpenter's controller, Istio, add-ons. */
import { hasBakeGate } from '../state/bake-gates.ts';
import type { IstioFact, KarpenterFact } from '../../facts/facts.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { parseComponentVersion } from '../../core/component-version.ts';
import { type KarpenterChoice, karpenterSupport } from '../../tables/karpenter.ts';
import { compareKubernetesVersions, formatKubernetesVersion } from '../../core/version.ts';
import { count, someOf } from '../../core/text.ts';
import type { Hop } from '../model/hops.ts';
import { karpenterDelivery } from '../karpenter/controller.ts';
import { gatewayWords } from '../istio/gateways.ts';
import { istioDelivery, istioDeliveryWords } from '../istio/delivery.ts';
import { leavesBeta } from '../karpenter/migration.ts';
import { nodeAgentWords } from '../istio/node-agents.ts';
import type { AddOnChange, Delivery, IstioCanary } from '../model/changes.ts';
import type { PlannedGate, PlannedStep } from '../model/types.ts';
import { minorsOf, plannedStep } from './step.ts';
import { defined } from '../../core/defined.ts';

export function karpenterControllerStep(
  hop: Hop,
  karpenter: KarpenterFact,
  installed: string,
  choice: KarpenterChoice,
  policy: UpgradePolicy,
): PlannedStep {
  const { namespace, deployment } = karpenter;
  const delivery = karpenterDelivery(karpenter, policy);
  const { canaryNode } = policy.karpenter;
  const params = {
    phase: 'karpenter-controller' as const,
    from: installed,
    to: choice.version,
    minimum: choice.minimum,
    namespace,
    deployment,
    managedBy: policy.managedBy.karpenter,
    ...defined({ delivery, canaryPool: canaryNode }),
  };
  return plannedStep(
    hop,
    params,
    {
      title: `Karpenter ${installed} → ${choice.minor}`,
      why: `Karpenter ${installed} does not support both Kubernetes ${bothOf(hop)}; ${choice.minor} (at least ${choice.minimum}) does${reach(hop, choice)}.${wayOf(delivery)}${canaryWords(canaryNode)}`,
      ...(leavesBeta(installed, choice.version) ? { gate: leavingBeta(installed, choice.version) } : {}),
      rollback: {
        what: `Karpenter, back to ${installed}`,
        how: rollbackOf(delivery, installed),
        until: `the control plane moves to ${formatKubernetesVersion(hop.to)}`,
        cost: 'about 2 minutes without new nodes',
      },
    },
    policy,
  );
}

const canaryWords = (pool: string | undefined): string =>
  pool === undefined ? '' : ` Then it launches one node more, as NodePool ${pool} has it, which goes again.`;

function leavingBeta(from: string, to: string): PlannedGate {
  return {
    title: `Leave v1beta1 for good: Karpenter ${from} → ${to}?`,
    next: `Karpenter goes to ${to}, which supports only API v1.`,
    why: 'This cannot be undone: manifests of v1beta1 are refused from then on (belay migrate karpenter --dir CHECKOUT --check finds them), and Karpenter 0.3x can no longer be installed. Only after this step may the conversion webhooks be removed.',
  };
}

/** In the plan people see whose hand it is. */
function wayOf(delivery: Delivery | undefined): string {
  if (delivery === undefined) return '';
  if (delivery.kind === 'helm')
    return ' Belay upgrades karpenter-crd and then karpenter with helm, with the values that the releases have.';
  return delivery.charts
    .map(({ kind, namespace, name, owner }) =>
      owner === undefined
        ? ` Belay changes the version in ${kind} ${namespace}/${name}.`
        : ` ${kind} ${namespace}/${name} is kept as in Git by ${owner}: Belay asks for the merge.`,
    )
    .join('');
}

const CRDS_STAY = 'the newer CRDs stay, compatible within v1';

function rollbackOf(delivery: Delivery | undefined, installed: string): string {
  if (delivery === undefined) return `deploy chart ${installed} with the values it had; ${CRDS_STAY}`;
  if (delivery.kind === 'helm') return `helm rollback the release of the controller to its revision before; ${CRDS_STAY}`;
  const controllers = delivery.charts.filter(({ chart }) => chart === 'karpenter');
  return `set ${controllers.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).join(', ')} back to ${installed}; ${CRDS_STAY}`;
}

export function istioStep(hop: Hop, canaries: IstioCanary[], istio: IstioFact | undefined, policy: UpgradePolicy): PlannedStep {
  const [first] = canaries;
  const path = [first?.fromVersion, ...canaries.map((canary) => canary.toMinor)].filter((v, i, all) => v !== all[i - 1]);
  const also = [gatewayWords(canaries), nodeAgentWords(canaries)].filter((words) => words !== undefined);
  const waveCount = canaries.reduce((sum, canary) => sum + canary.waves.length, 0);
  const delivery = istioDelivery(istio, policy);
  const params = {
    phase: 'istio' as const,
    canaries,
    managedBy: policy.managedBy.istio,
    moveBy: policy.istio.moveBy,
    judgedBy: istio?.prometheus === 'none' ? ('state' as const) : ('prometheus' as const),
    ...defined({ delivery }),
    ...(hasBakeGate(policy.timing.waveBakeMs) ? { bakeGate: true as const } : {}),
  };
  return plannedStep(
    hop,
    params,
    {
      title: `Istio ${path.join(' → ')}`,
      why: `Istio ${first?.fromVersion ?? ''} does not support all of Kubernetes ${hop.ahead.map(formatKubernetesVersion).join(', ')}; every version on the way supports ${bothOf(hop)}. ${judging(istio)}${also.map((words) => ` ${words}`).join('')}${delivery === undefined ? '' : istioDeliveryWords(delivery)}`,
      rollback: {
        what: `each wave, back to its former revision`,
        how: `labels or tag as before, and the same restart; a retired revision must be reinstalled with its old values${policy.managedBy.istio === 'helm' ? ' (helm rollback: its record is kept)' : ''}`,
        until: 'its old revision is retired, at its own gate',
        cost: `another restart of its workloads (${count(waveCount, 'wave')} in all)`,
      },
    },
    policy,
  );
}

/** How it is found out whether a wave is well. */
function judging(istio: IstioFact | undefined): string {
  const always = 'Each wave is verified by rollouts and by the proxies that run';
  if (istio?.prometheus === 'none') return `${always}; no Prometheus is configured, so its traffic is not judged.`;
  const traffic = `${always}, then watched by the 5xx and latency of its namespaces against those before`;
  return istio?.prometheus === 'blind'
    ? `${traffic}; Prometheus has no traffic now, and people are asked while that is so.`
    : `${traffic}.`;
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
    what: 'each add-on, back to its earlier version',
    how: 'UpdateAddon, if EKS offers it on the present minor',
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
