/** The questions on Karpenter's way to API v1: what happens, why, and what cannot be undone from then on. */
import type { Expiry, MigrationLook, RoleVerdict } from '../../../activities/contract/karpenter-migration.ts';
import { agree, count } from '../../../domain/core/text.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { WayToMove } from '../../../domain/plan/migration/checklist-v1beta1.ts';
import { rollbackText } from '../../../domain/plan/model/rollback-text.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import type { RollbackPoint } from '../../../domain/plan/model/types.ts';
import type { MoveNodes } from '../../../domain/policy/policy.ts';
import { patchBeforeV1 } from '../../../domain/tables/karpenter.ts';
import { CHOICES } from '../choices.ts';
import type { GateText } from '../note.ts';

type MigrationParams = Extract<StepParams, { phase: 'karpenter-migration' }>;
type Leg = MigrationParams['legs'][number];
type Offer = GateText['choices'][number];

const AGAIN: Offer = { ...CHOICES.lookAgain, does: 'Reads the cluster again.' };
const REJECT: Offer = {
  id: 'reject',
  label: 'Not now',
  style: 'danger',
  does: 'Leaves Karpenter as it is now; the step fails, and you are asked what to do next.',
};

/** Before anything is changed. `leg`: the API that comes next. */
export function beginMigrationGate({
  params,
  leg,
  look,
  rollback,
}: {
  params: MigrationParams;
  leg: Leg;
  look: MigrationLook;
  rollback: RollbackPoint;
}): GateText {
  const { from, to, legs } = params;
  const doubts = look.unknowns.length + look.workloads.length + look.questions.length > 0;
  return {
    title: `Migrate Karpenter’s API to v1 (Karpenter ${from} → ${to})?`,
    next: nextOf(params),
    evidence: [progress(look), needs(look, { legs, leg }), ...doubtsOf(look)],
    undo: rollbackText(rollback),
    choices: [doubts ? { ...CHOICES.approve, needsReason: true } : CHOICES.approve, AGAIN, REJECT],
  };
}

function nextOf({ from, to, legs, delivery }: MigrationParams): string {
  const way = [
    ...(legs.includes('v1beta1')
      ? [
          'Karpenter 0.31.4, then CRDs and controller of 0.32',
          'new NodePools beside the Provisioners',
          'the nodes are replaced (you choose how)',
        ]
      : []),
    `controller ${patchBeforeV1(from)} with webhooks on, then its CRDs`,
    `another approval, then CRDs and controller of ${to}`,
    'kubelet settings and manifests to v1',
  ];
  return `${way.join('; ')}. ${delivery === undefined ? 'Belay asks for each chart change.' : 'Each is verified before the next.'}`;
}

function progress({ steps }: MigrationLook): GateEvidence {
  const done = steps.filter(({ state }) => state === 'done').length;
  const open = steps.filter(({ state, id }) => state !== 'done' && id !== 'iam' && id !== 'beyond');
  return {
    title: 'Progress',
    lines: [
      `${done} of ${count(steps.length, 'step')} done`,
      ...open
        .slice(0, 8)
        .map(
          ({ state, title, seen }) =>
            `${state === 'broken' ? 'BROKEN: ' : state === 'unknown' ? 'UNKNOWN: ' : 'To do: '}${title} (${seen.replace(/\.$/, '')})`,
        ),
    ],
  };
}

/** Source: v1beta1 and v1 migration guides. The role is judged for the leg that begins; for another one, approvers have to know. */
function needs({ driftedCount, claimCount, iam }: MigrationLook, { legs, leg }: { legs: readonly Leg[]; leg: Leg }): GateEvidence {
  const judged = (of: Leg): boolean => iam !== undefined && iam.granted !== 'unknown' && of === leg;
  const alpha =
    legs.includes('v1beta1') && !judged('v1beta1')
      ? [
          'UNKNOWN 0.32 needs iam:CreateInstanceProfile, TagInstanceProfile, AddRoleToInstanceProfile, RemoveRoleFromInstanceProfile, DeleteInstanceProfile and GetInstanceProfile, and may tag with karpenter.sh/nodepool',
        ]
      : [];
  const v1 = judged('v1')
    ? []
    : [
        'UNKNOWN 1.0 needs its own IAM policy alongside the present one (it tags with eks:eks-cluster-name). To check a policy: belay migrate karpenter --iam-policy FILE',
      ];
  return {
    title: 'What it needs, and what must not change',
    lines: [
      ...alpha,
      ...v1,
      ...(iam?.lines ?? []),
      `${count(claimCount, 'NodeClaim')}, ${driftedCount} drifted: if more are drifted at the end, Belay asks you`,
      '1.0 forces its two replicas into different zones: if only one zone is available to it, one replica stays Pending',
    ],
  };
}

function doubtsOf({ unknowns, workloads, questions }: MigrationLook): GateEvidence[] {
  const lines = [
    ...unknowns.map((text) => `UNKNOWN ${text}`),
    ...(workloads.length === 0
      ? []
      : [
          `${workloads.join(', ')} ${agree(workloads.length, 'uses', 'use')} labels or annotations that the newer API ignores (do-not-evict would no longer protect): change them first`,
        ]),
    ...questions,
  ];
  return lines.length === 0 ? [] : [{ title: 'Only you can answer', lines: lines.slice(0, 8) }];
}

/** Before the controller of 1.0: from there expiry is forceful, and hardly any version can be rolled back to. */
export function v1Gate({ from, to, expiry }: { from: string; to: string; expiry: Expiry }): GateText {
  return {
    title: `Install Karpenter ${to}?`,
    next: `karpenter-crd ${to}, then karpenter ${to}. From then on nodes past expireAfter are drained by force.`,
    evidence: [expiryEvidence(expiry), iamEvidence(to, expiry.iam)],
    undo: `Rollback only to ${patchBeforeV1(from)} (controller first, then its CRDs, webhooks on), until Karpenter goes to 1.1; settings that only v1 has are lost. Drained nodes stay drained.`,
    choices: [
      expiry.iam?.granted === 'yes'
        ? { ...CHOICES.approve, does: 'Installs it: the role has the policy of 1.0.' }
        : {
            ...CHOICES.approve,
            needsReason: true,
            does: 'Confirms that the policy of 1.0 is attached, and installs 1.0. In the reason, write who has checked the policy.',
          },
      AGAIN,
      REJECT,
    ],
  };
}

function expiryEvidence({ pastCount, soonCount, lines }: Expiry): GateEvidence {
  const title = 'Expiry becomes forceful';
  const forced =
    'In 1.0 neither budgets nor the freeze delay expiry; PodDisruptionBudgets and do-not-disrupt do, until terminationGracePeriod';
  if (pastCount + soonCount === 0) return { title, lines: ['No node is past expireAfter or within a day of it', forced] };
  return {
    title,
    lines: [
      `${count(pastCount, 'node')} would be drained at once, and ${soonCount} more within a day:`,
      ...lines,
      forced,
      'To spread them: replace these nodes first (kubectl delete nodeclaim, one by one), or set expireAfter higher, then press Look again',
    ],
  };
}

function iamEvidence(to: string, iam: RoleVerdict | undefined): GateEvidence {
  const title = `The IAM policy of ${to}`;
  if (iam?.granted === 'yes') return { title, lines: iam.lines };
  return {
    title,
    lines: [
      ...(iam?.lines ?? []),
      `${iam?.granted === 'no' ? 'It' : 'UNKNOWN to Belay: it'} must be attached alongside that of 0.3x; keep both for as long as you may roll back`,
      'Without it 1.0 launches no nodes: condition Launched of the NodeClaims says UnauthorizedOperation',
    ],
  };
}

/** `seen`: how many Machines there are. */
export function moveNodesGate(seen: string, ways: readonly (WayToMove & { id: Exclude<MoveNodes, 'ask'> })[]): GateText {
  const choices: Offer[] = ways.map(({ id, title, cost }) => ({
    id,
    label: title.split(',')[0] ?? title,
    ...(id === 'drift' ? { style: 'primary' as const } : id === 'cascade' ? { style: 'danger' as const, needsReason: true } : {}),
    does: cost,
  }));
  return {
    title: 'How should the nodes of the Machines be replaced?',
    next: 'Pods move to nodes of the new NodePools, and the nodes of the Machines are removed. Drift is not frozen, because Karpenter before 0.34 has no budgets.',
    evidence: [{ title: seen, lines: ways.map(({ title, how, cost }) => `${title}: ${how} ${cost}`) }],
    undo: 'A removed node does not come back; its pods run on new nodes. With Drift and By hand you can stop after any node: the step then fails, and Belay removes the taint.',
    choices: [...choices, REJECT],
  };
}

/** A pod that selects the old label stays Pending once its node is gone. */
export const oldLabelsGate = (workloads: readonly string[], rollback: RollbackPoint): GateText => ({
  title: 'Workloads still use Karpenter’s old labels. Move the nodes anyway?',
  next: 'The nodes are moved; pods that select karpenter.sh/provisioner-name stay Pending, since no new node has it, and do-not-evict no longer protects the pods that have it.',
  evidence: [
    {
      title: 'They use karpenter.sh/provisioner-name or do-not-evict',
      lines: [
        ...workloads,
        'Change them to karpenter.sh/nodepool and karpenter.sh/do-not-disrupt (belay migrate karpenter shows where), then press Look again',
      ],
    },
  ],
  undo: rollbackText(rollback),
  choices: [{ ...AGAIN, style: 'primary' }, { ...CHOICES.approve, style: undefined, label: 'Move anyway', needsReason: true }, REJECT],
});

/** `before`: the only release to which 0.32 can be rolled back. */
export const leaveAlphaGate = (before: string): GateText => ({
  title: 'Delete the Provisioners and AWSNodeTemplates, and leave v1alpha5 for good?',
  next: 'No Machine is left, so no node is removed with them. Karpenter is then upgraded to a version that no longer sees v1alpha5.',
  evidence: [{ title: 'Seen', lines: ['0 Machines: every node belongs to a NodePool'] }],
  undo: `Until you approve: rollback to ${before}, after removing NodePools and EC2NodeClasses. After that, you cannot roll back to v1alpha5.`,
  choices: [CHOICES.approve, REJECT],
});

/** The migration is done, but more nodes are marked for replacement, or something is not Ready. */
export const notAsBeforeGate = (problems: readonly string[], rollback: RollbackPoint): GateText => ({
  title: 'Karpenter uses API v1, but not everything is as before. Continue?',
  next: 'The freeze of this step is lifted: Karpenter replaces what it has marked, within its previous budgets.',
  evidence: [{ title: 'Seen', lines: problems.slice(0, 5) }],
  undo: rollbackText(rollback),
  choices: [{ ...CHOICES.approve, label: 'Continue', needsReason: true }, AGAIN, REJECT],
});
