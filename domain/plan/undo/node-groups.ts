/** Managed node groups to the minor that they had before the last run: EKS does that only while it takes the control plane back to that minor. */
import type { NodeGroupFact } from '../../facts/facts.ts';
import { count, someOf, utcMinute } from '../../core/text.ts';
import { tryKubernetesVersion } from '../../core/version.ts';
import { isAhead } from '../rollback/ahead.ts';
import { updateGroup } from '../rollback/nodes.ts';
import { isMovableGroup } from '../state/nodes.ts';
import { autoscalerToPause, pauseWords } from '../steps/autoscaler.ts';
import { sparing, spareWords } from '../steps/istiod.ts';
import { plannedStep } from '../steps/step.ts';
import type { PlannedStep, RuleViolation } from '../model/types.ts';
import { changedBy, paramsIn } from './last-run.ts';
import { asFinding, none, notDone, refusal, runWords, type UndoInput, type UndoWay } from './undo-input.ts';
import { defined } from '../../core/defined.ts';

type Judged = { kind: 'goes'; group: NodeGroupFact } | { kind: 'there' } | { kind: 'refused'; violation: RuleViolation };

export function undoNodeGroups(input: UndoInput): UndoWay {
  const { run, back } = input;
  const moved = changedBy(paramsIn(run, ['node-groups']).flatMap(({ to, groups }) => groups.map(({ name, from }) => ({ name, from, to }))));
  if (moved.size === 0) return notDone(run, 'moved no node group');
  const judged = [...moved].map(([name, { before, reached }]) => judge(input, name, before, reached));
  const groups = judged.flatMap((each) => (each.kind === 'goes' ? [each.group] : []));
  const refused = judged.flatMap((each) => (each.kind === 'refused' ? [each.violation] : []));
  if (groups.length === 0 || back?.kind !== 'open') {
    if (refused.length > 0) return none(...refused);
    return none(refusal('RBK103', `Every node group that ${runWords(run)} moved is at its minor before.`, 'There is nothing to do.'));
  }
  const nodes = count(
    groups.reduce((sum, { desiredCount }) => sum + desiredCount, 0),
    'node',
  );
  return {
    kind: 'way',
    steps: [step(input, groups, back.window.backTo, nodes)],
    findings: refused.map(asFinding),
    until: utcMinute(back.window.closesAt),
    cost: `${nodes} replaced once more`,
  };
}

function judge({ facts, back, minor, point }: UndoInput, name: string, before: string, reached: readonly string[]): Judged {
  const refused = (code: string, message: string, remedy: string): Judged => ({
    kind: 'refused',
    violation: refusal(code, message, remedy),
  });
  const group = facts.nodeGroups.find((each) => each.name === name);
  if (group === undefined) return refused('RBK104', `Node group ${name} is not there any more, or could not be read.`, byHand(before));
  if (group.version === before) {
    if (isHalfMoved(facts, before)) return refused('RBK109', halfMoved(before), halfMovedWay(facts, name, reached.at(-1) ?? minor));
    const release = releaseBefore(point, group);
    return release === undefined ? { kind: 'there' } : refused('RBK109', newerRelease(group, release), byHand(before, release));
  }
  if (!reached.includes(group.version))
    return refused(
      'RBK104',
      `Node group ${name} is at ${group.version}, to which the run has not brought it (${reached.join(', ')}): somebody has changed it since.`,
      byHand(before),
    );
  if (!isMovableGroup(group))
    return refused(
      'RBK109',
      `Node group ${name} runs an image of your own, which its launch template names.`,
      `Put the image of ${before} into the launch template, and update the group to that version of it.`,
    );
  if (back === undefined)
    return refused(
      'RBK109',
      `Whether EKS takes node group ${name} back to ${before} could not be read.`,
      'Allow eks:ListUpdates and eks:DescribeUpdate, then ask again.',
    );
  if (back.kind !== 'open' || back.window.backTo !== before)
    return refused(
      'RBK109',
      `EKS takes node groups to an older minor only while it takes the control plane back there, and it does not take ${minor} back to ${before} now.`,
      byHand(before),
    );
  return { kind: 'goes', group };
}

/** Some of their nodes are newer than every group says it is: an update that failed has replaced them. */
function isHalfMoved({ kubelets, nodeGroups }: UndoInput['facts'], before: string): boolean {
  const minor = tryKubernetesVersion(before);
  // The version of a group with an image of its own says nothing of its nodes.
  if (minor === undefined || nodeGroups.some((group) => !isMovableGroup(group) || isAhead(group.version, minor))) return false;
  return kubelets.some(({ owner, minor: kubelet, count: nodes }) => owner === 'node-group' && nodes > 0 && isAhead(kubelet, minor));
}

const halfMoved = (before: string): string =>
  `EKS gives ${before} as the version of every node group, but some of their nodes are newer: an update that did not end well has replaced them.`;

const halfMovedWay = ({ cluster }: UndoInput['facts'], group: string, to: string): string =>
  `EKS rolls back whole groups: repeat the update with ${updateGroup(cluster, group, to)}, then request this again.`;

/** Another AMI release of the same minor than the run found; undefined: the same, or not known. Groups with an image of their own have none. */
function releaseBefore(point: UndoInput['point'], { name, version, releaseVersion }: NodeGroupFact): string | undefined {
  const found = point?.nodeGroups.find((each) => each.name === name);
  return found === undefined || found.version !== version || found.releaseVersion === releaseVersion ? undefined : found.releaseVersion;
}

/**
 * "You cannot roll back a node group to an earlier Kubernetes version or AMI version" (EKS API reference, UpdateNodegroupVersion). The version rollback
 * of 2026 lifts that for the minor alone; a new group may have any release that Amazon still has (CreateNodegroup, releaseVersion).
 */
const newerRelease = ({ name, version, releaseVersion }: NodeGroupFact, before: string): string =>
  `Node group ${name} is at ${version} as before, but at AMI release ${releaseVersion ?? 'unknown'} where the run found ${before}: EKS takes no node group to an older release of the same minor.`;

const byHand = (before: string, release?: string): string =>
  `Make a new node group of ${before}${release === undefined ? '' : ` at that release (aws eks create-nodegroup --release-version ${release})`} with the same labels and taints, drain this one, and delete it when its pods have moved.`;

function step(input: UndoInput, groups: readonly NodeGroupFact[], to: string, nodes: string): PlannedStep {
  const { facts, policy, hop, minor, run } = input;
  const names = someOf(groups.map(({ name }) => name));
  const autoscaler = autoscalerToPause(facts, policy);
  return plannedStep(
    hop,
    {
      phase: 'node-groups',
      to,
      groups: groups.map(({ name, version, desiredCount }) => ({ name, from: version, count: desiredCount })),
      managedBy: policy.managedBy.nodeGroups,
      back: true,
      ...defined({ autoscaler }),
      ...sparing(facts),
    },
    {
      title: `Node groups back to ${to}`,
      why: `${names}: ${to} is what ${runWords(run)} found. Kubelets of ${to} run well under a control plane at ${minor}.`,
      gate: {
        title: `Replace the ${nodes} of ${names} by ${to}?`,
        next: `EKS drains and replaces ${nodes} of ${names}.${pauseWords(autoscaler)}${spareWords(facts)}`,
        why: 'The control plane and everything else stay as they are.',
        reason: true,
      },
      rollback: {
        what: `the node groups, up to ${minor} again`,
        how: `UpdateNodegroupVersion with ${minor}, as the next upgrade does`,
        until: 'always',
        cost: `${nodes} replaced once more`,
      },
    },
    policy,
  );
}
