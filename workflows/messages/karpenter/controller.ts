/** Karpenter's controller: the gate before its change, how the new version is brought or asked for, and what was seen afterwards. */
import type { KarpenterState, PermissionFinding } from '../../../activities/contract/delivery.ts';
import { count, objectTitle, someOf } from '../../../domain/core/text.ts';
import type { DeliveredChart, ManagedBy } from '../../../domain/facts/facts.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { rollbackText } from '../../../domain/plan/model/rollback-text.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import type { RollbackPoint } from '../../../domain/plan/model/types.ts';
import { CHOICES } from '../choices.ts';
import { alarm, type ChangeRequest, type GateText, info, type Note, warning } from '../note.ts';

type KarpenterParams = Extract<StepParams, { phase: 'karpenter-controller' }>;
interface Versions {
  from: string;
  to: string;
}

export const readingNeeds = (to: string): string => `Reading what Karpenter ${to} needs, and what it must leave unchanged.`;

/** `charts`: the objects of GitOps that change, in order. */
export function karpenterGate({
  params,
  seen,
  charts,
  rollback,
}: {
  params: KarpenterParams;
  seen: KarpenterState;
  charts: readonly DeliveredChart[];
  rollback: RollbackPoint;
}): GateText {
  const { from, to } = params;
  const open = seen.permissions.some(({ granted }) => granted !== 'yes');
  return {
    title: `Change Karpenter from ${from} to ${to}?`,
    next: nextOf(params, charts),
    evidence: [karpenterNow(params, seen), ...needsOf(params, seen)],
    undo: rollbackText(rollback),
    choices: [
      open ? { ...CHOICES.approve, needsReason: true } : CHOICES.approve,
      { ...CHOICES.lookAgain, does: 'Reads IAM and the cluster again.' },
      {
        id: 'reject',
        label: 'Not now',
        style: 'danger',
        does: 'Leaves Karpenter as it is; the step fails, and you are asked what to do next.',
      },
    ],
  };
}

function nextOf({ to, delivery, back }: KarpenterParams, charts: readonly DeliveredChart[]): string {
  if (delivery?.kind !== 'gitops')
    return back === true
      ? `helm changes karpenter to ${to}, and its CRDs stay; the controller restarts.`
      : `helm upgrades karpenter-crd to ${to}, then karpenter; the controller restarts.`;
  const objects = charts.map(
    ({ kind, namespace, name, owner }) =>
      `${kind} ${namespace}/${name}${owner === undefined ? '' : ` (asked for, because it is managed from Git by ${owner})`}`,
  );
  return `${objects.join(', then ')} to ${to}; the controller restarts.`;
}

function karpenterNow(params: KarpenterParams, seen: KarpenterState): GateEvidence {
  const { claimCount, driftedCount, frozenPools, poolCount, notReady, unowned } = seen;
  const frozen = frozenPools === poolCount ? 'drift frozen' : `drift frozen on ${frozenPools}`;
  return {
    title: 'Karpenter now',
    lines: [
      `${count(claimCount, 'NodeClaim')}, ${driftedCount} drifted: if more are drifted after the change, the step fails`,
      `${count(poolCount, 'NodePool')}, ${frozen}`,
      ...(notReady.length === 0 ? ['every NodePool and EC2NodeClass is Ready'] : notReady.slice(0, 5).map(({ line }) => line)),
      ...definitionsOf(params, unowned),
    ],
  };
}

/** Helm refuses CRDs that are not its own; Flux and Argo CD do not touch those in a chart's folder crds. */
function definitionsOf({ delivery, to, back }: KarpenterParams, unowned: readonly string[]): string[] {
  if (back === true) return ['its CRDs stay: the newer ones are compatible within v1'];
  if (delivery?.kind === 'helm' && unowned.length > 0)
    return [`no Helm release owns ${someOf(unowned)}: Belay marks them as parts of karpenter-crd; nothing is deleted`];
  const nobody = delivery?.kind === 'gitops' && !delivery.charts.some(({ chart }) => chart === 'karpenter-crd');
  return nobody ? [`nothing here delivers karpenter-crd: make sure that the CRDs of ${to} are installed before you approve`] : [];
}

function needsOf({ from, to }: Versions, { needs, permissions }: KarpenterState): GateEvidence[] {
  if (needs.length === 0) return [];
  return [{ title: `What ${to} needs that ${from} did not`, lines: [...needs, ...permissions.map(permissionLine)] }];
}

function permissionLine({ action, granted, why }: PermissionFinding): string {
  if (granted === 'yes') return `${action}: granted`;
  return granted === 'no' ? `FAILED ${action} is not granted (${why})` : `UNKNOWN ${action}: ${why}`;
}

/** Where Belay does not change Karpenter itself. */
export function changeKarpenter(params: KarpenterParams, seen: KarpenterState): ChangeRequest {
  const { from, to, minimum, namespace, deployment, managedBy, back } = params;
  const what = back === true ? 'the controller only; its CRDs stay' : `at least ${minimum}; CRDs first, then the controller`;
  // By the names of the provider hashicorp/helm and of the module terraform-aws-modules/eks/aws//modules/karpenter.
  const releases = back === true ? '' : 'helm_release karpenter-crd (applied first) and of ';
  const lines =
    managedBy === 'terraform'
      ? `The lines to change: version = "${to}" of ${releases}helm_release karpenter, or the variable that your module sets them by. `
      : '';
  return {
    ask: { component: 'karpenter', name: `${namespace}/${deployment}`, version: to, managedBy },
    text:
      `Please change Karpenter from ${from} to ${to} (${what}). It is managed by ${managedBy === 'manual' ? 'hand' : managedBy}. ` +
      `${lines}${needsOf(params, seen)
        .map(({ title, lines: needs }) => `${title}: ${needs.join('; ')}. `)
        .join('')}` +
      `Belay watches Deployment ${namespace}/${deployment} and continues by itself once it has converged.`,
  };
}

/** Where `owner` would revert a change in the cluster. */
export const mergeKarpenter = (
  chart: DeliveredChart,
  { from, to, managedBy, owner }: Versions & { managedBy: ManagedBy; owner: string },
): ChangeRequest => ({
  ask: { component: 'karpenter', name: chart.name, version: to, managedBy },
  text:
    `Please merge ${chart.chart} ${from} → ${to}. ${objectTitle(chart)} is managed from Git by ${owner}, which would revert a change in the cluster. ` +
    'Belay watches it and continues by itself once it is delivered.',
});

/** `back`: the controller alone, to an older version. */
export const helmUpgradesKarpenter = (to: string, back: boolean): string =>
  back ? `helm changes karpenter to ${to}; its CRDs stay.` : `helm upgrades karpenter-crd to ${to}, then karpenter.`;

export const definitionsAdopted = (names: readonly string[]): Note =>
  info(
    `Karpenter: ${someOf(names)} belonged to no Helm release, which would have stopped karpenter-crd. Belay has marked them as its parts; nothing was deleted.`,
  );

export const verifyingKarpenter = (version: string): string => `Karpenter runs ${version}: checking that it has left everything as it was.`;

/** What was seen after the change. */
interface Verified {
  /** Absent: drift is not frozen, so it was not watched. */
  driftedCount?: number;
  stillNotReady?: readonly string[];
  leaderUnknown?: string;
  /** Why it is not known whether the version supports both minors. */
  supportUnknown?: string;
}

/** Somebody else has brought one that will not do. `to`: the one that was asked for. */
export const otherKarpenterNeeded = (version: string, to: string, why: string): string =>
  `Karpenter runs ${version}, which this upgrade cannot use: ${why}. Change it to ${to}, then choose Retry`;

/** Also lines of the report. */
export function verifiedLines({ driftedCount, stillNotReady = [], leaderUnknown, supportUnknown }: Verified): string[] {
  const ready = stillNotReady.length === 0 ? 'NodePools and EC2NodeClasses Ready' : 'all other NodePools and EC2NodeClasses Ready';
  return [
    ...(driftedCount === undefined ? [] : [`${count(driftedCount, 'NodeClaim')} drifted before, and no more now`]),
    `${ready}, CRDs Established${leaderUnknown === undefined ? ', a pod of the new version leads' : ''}`,
    ...(leaderUnknown === undefined ? [] : [`UNKNOWN which pod leads: ${leaderUnknown}`]),
    ...(supportUnknown === undefined ? [] : [`UNKNOWN: ${supportUnknown}`]),
    ...stillNotReady.slice(0, 5).map((line) => `as before the change: ${line}`),
  ];
}

export function karpenterVerified(version: string, seen: Verified): Note {
  const text = `Karpenter: ${version} runs; ${verifiedLines(seen).join('; ')}.`;
  return seen.leaderUnknown === undefined && seen.supportUnknown === undefined ? info(text) : warning(text);
}

/** `claim`: the NodeClaim's name. */
export const launchingCanary = ({ version, nodePool, claim }: { version: string; nodePool: string; claim: string }): string =>
  `Karpenter ${version} launches one canary node for NodePool ${nodePool} (NodeClaim ${claim}). No pod lands on it, and it is removed again.`;

interface CanaryNode {
  version: string;
  nodePool: string;
  node: string;
}

/** Also a line of the report. */
export const canaryLine = ({ version, nodePool, node }: CanaryNode): string =>
  `Karpenter ${version} launched ${node} for NodePool ${nodePool}; it became Ready and was removed again`;

export const canaryReady = (canary: CanaryNode): Note => info(`${canaryLine(canary)}.`);

/** Part of an alarm. */
export const canaryNotRemoved = (claim: string, why: string): Note =>
  alarm(
    `ALARM: NodeClaim ${claim} of the canary node could NOT be removed: ${why}. Run kubectl delete nodeclaim ${claim}; otherwise Karpenter removes it an hour after its launch.`,
  );
