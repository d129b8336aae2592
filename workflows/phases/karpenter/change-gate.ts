/** The gate before Belay changes Karpenter: what the cluster is like, what the new version needs, and whether IAM grants it. */
import type { KarpenterState, PermissionFinding } from '../../../activities/contract/delivery.ts';
import type { GateChoice, GateEvidence } from '../../../domain/gates/gate.ts';
import { count, someOf } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { chartsToChange, type KarpenterParams } from './delivery.ts';
import { undoText } from '../../reporting/plan-evidence.ts';
import { CHOICES } from '../../gates/choices.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

const REJECT: GateChoice = {
  id: 'reject',
  label: 'Not now',
  style: 'danger',
  does: 'Leaves Karpenter as it is; the step fails, and you are asked what to do next.',
};

/** Resolves with what was seen last before people agreed. Look again reads everything once more, as after a change of IAM. */
export async function agreeToKarpenter(phase: Phase, params: KarpenterParams): Promise<KarpenterState> {
  const { from, to, namespace, deployment } = params;
  for (let look = 1; ; look += 1) {
    phase.now(`Reading what Karpenter ${to} needs, and what it must leave as it is.`);
    const seen = await phase.activities.survey.examineKarpenter.executeWithOptions({ summary: `What does Karpenter ${to} need?` }, [
      { cluster: phase.cluster, from, to, namespace, deployment },
    ]);
    const state = await phase.gates.ask({
      id: gateId('change', phase.input.step.id, (phase.input.round - 1) * 100 + look),
      step: phase.input.step.id,
      title: `Change Karpenter from ${from} to ${to}?`,
      next: nextOf(params),
      evidence: evidenceOf(params, seen),
      undo: undoText(phase.input.step),
      choices: choicesOf(seen),
    });
    if (state.kind !== 'decided') throw phaseFailed(`Changing Karpenter to ${to}: nobody decided in time; it still runs ${from}`);
    const { choice } = state.decision;
    if (choice === 'reject') throw phaseFailed(`Changing Karpenter to ${to}: people decided against it; it still runs ${from}`);
    if (choice !== 'look-again') return seen;
  }
}

function choicesOf({ permissions }: KarpenterState): GateChoice[] {
  const again = { ...CHOICES.lookAgain, does: 'Reads IAM and the cluster again.' };
  const open = permissions.some(({ granted }) => granted !== 'yes');
  return open ? [{ ...CHOICES.approve, needsReason: true }, again, REJECT] : [CHOICES.approve, again, REJECT];
}

function nextOf(params: KarpenterParams): string {
  const { to, delivery, back } = params;
  if (delivery?.kind !== 'gitops')
    return back === true
      ? `helm brings karpenter to ${to}, and its CRDs stay; the controller restarts.`
      : `helm upgrades karpenter-crd to ${to}, then karpenter; the controller restarts.`;
  const objects = chartsToChange(delivery.charts, params).map(
    ({ kind, namespace, name, owner }) =>
      `${kind} ${namespace}/${name}${owner === undefined ? '' : ` (asked for: ${owner} keeps it as in Git)`}`,
  );
  return `${objects.join(', then ')} to ${to}; the controller restarts.`;
}

function evidenceOf(params: KarpenterParams, seen: KarpenterState): GateEvidence[] {
  const { claimCount, driftedCount, frozenPools, poolCount, notReady, unowned } = seen;
  const frozen = frozenPools === poolCount ? 'frozen for drift' : `${frozenPools} frozen for drift`;
  return [
    {
      title: 'Karpenter now',
      lines: [
        `${count(claimCount, 'NodeClaim')}, ${driftedCount} drifted: if there are more after the change, the step fails`,
        `${count(poolCount, 'NodePool')}, ${frozen}`,
        ...(notReady.length === 0 ? ['every NodePool and EC2NodeClass Ready'] : notReady.slice(0, 5)),
        ...definitionsOf(params, unowned),
      ],
    },
    ...needsOf(params, seen),
  ];
}

/** Helm refuses CRDs that are not its own; Flux and Argo CD do not touch those that lie in a chart's folder crds. */
function definitionsOf({ delivery, to, back }: KarpenterParams, unowned: readonly string[]): string[] {
  if (back === true) return ['its CRDs stay: the newer ones are compatible within v1'];
  if (delivery?.kind === 'helm' && unowned.length > 0)
    return [`no Helm release owns ${someOf(unowned)}: Belay marks them as parts of karpenter-crd; nothing is deleted`];
  const nobody = delivery?.kind === 'gitops' && !delivery.charts.some(({ chart }) => chart === 'karpenter-crd');
  return nobody ? [`nothing here delivers karpenter-crd: see that the CRDs of ${to} are there before you approve`] : [];
}

function needsOf({ from, to }: KarpenterParams, { needs, permissions }: KarpenterState): GateEvidence[] {
  if (needs.length === 0) return [];
  return [{ title: `What ${to} needs that ${from} did not`, lines: [...needs, ...permissions.map(permissionLine)] }];
}

function permissionLine({ action, granted, why }: PermissionFinding): string {
  if (granted === 'yes') return `${action}: granted`;
  return granted === 'no' ? `FAILED ${action} is not granted (${why})` : `UNKNOWN ${action}: ${why}`;
}
