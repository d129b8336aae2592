/** The questions of the way from v1beta1 to v1: what happens, why, and what cannot be undone from then on. */
import type { Expiry, MigrationLook, RoleVerdict } from '../../../activities/contract/karpenter-migration.ts';
import type { GateChoice, GateEvidence } from '../../../domain/gates/gate.ts';
import { patchBeforeV1 } from '../../../domain/tables/karpenter.ts';
import { agree, count } from '../../../domain/core/text.ts';
import type { MigrationParams, MigrationWalk } from './walk.ts';
import { CHOICES } from '../../gates/choices.ts';

export const AGAIN: GateChoice = {
  ...CHOICES.lookAgain,
  does: 'Reads the cluster again.',
};
export const REJECT: GateChoice = {
  id: 'reject',
  label: 'Not now',
  style: 'danger',
  does: 'Leaves Karpenter as it is now; the step fails, and you are asked what to do next.',
};

/** Before anything is changed. `open`: nothing stands in the way that people would have to answer for. */
export async function agreeToBegin(walk: MigrationWalk, leg: 'v1' | 'v1beta1', first: MigrationLook): Promise<MigrationLook> {
  if (walk.begun) return first;
  let look = first;
  for (;;) {
    const { from, to, legs } = walk.params;
    const doubts = look.unknowns.length + look.workloads.length + look.questions.length > 0;
    const choice = await walk.ask({
      about: 'begin',
      title: `Migrate Karpenter’s API to v1 (Karpenter ${from} → ${to})?`,
      next: nextOf(walk.params),
      evidence: [whereItIs(look), ...needs(look, { legs, leg }), ...doubtsOf(look)],
      choices: [doubts ? { ...CHOICES.approve, needsReason: true } : CHOICES.approve, AGAIN, REJECT],
    });
    if (choice !== 'look-again') break;
    look = await walk.look(leg);
  }
  walk.begun = true;
  return look;
}

function nextOf({ from, to, legs, delivery }: MigrationParams): string {
  const way = [
    ...(legs.includes('v1beta1')
      ? ['Karpenter 0.31.4, then CRDs and controller of 0.32', 'new NodePools beside the Provisioners', 'the nodes move (you choose how)']
      : []),
    `controller ${patchBeforeV1(from)} with webhooks on, then its CRDs`,
    `you are asked once more, then CRDs and controller of ${to}`,
    'kubelet settings and manifests as v1',
  ];
  return `${way.join('; ')}. ${delivery === undefined ? 'Each change of a chart is asked for.' : 'Each is verified before the next.'}`;
}

function whereItIs({ steps }: MigrationLook): GateEvidence {
  const done = steps.filter(({ state }) => state === 'done').length;
  const open = steps.filter(({ state, id }) => state !== 'done' && id !== 'iam' && id !== 'beyond');
  return {
    title: 'Where it is',
    lines: [
      `${done} of ${steps.length} steps are done`,
      ...open
        .slice(0, 8)
        .map(({ state, title, seen }) => `${state === 'broken' ? 'BROKEN ' : state === 'unknown' ? 'UNKNOWN ' : ''}${title}: ${seen}`),
    ],
  };
}

/** Source: v1beta1 and v1 migration guides. The role is judged for the leg that begins; where it cannot be, people are asked. */
function needs(
  { driftedCount, claimCount, iam }: MigrationLook,
  { legs, leg }: { legs: MigrationParams['legs']; leg: 'v1' | 'v1beta1' },
): GateEvidence[] {
  const judged = (of: 'v1' | 'v1beta1'): boolean => iam !== undefined && iam.granted !== 'unknown' && of === leg;
  const alpha =
    legs.includes('v1beta1') && !judged('v1beta1')
      ? [
          'UNKNOWN 0.32 needs iam:CreateInstanceProfile, TagInstanceProfile, AddRoleToInstanceProfile, RemoveRoleFromInstanceProfile, DeleteInstanceProfile and GetInstanceProfile, and may tag with karpenter.sh/nodepool',
        ]
      : [];
  return [
    {
      title: 'What it needs, and what it must leave as it is',
      lines: [
        ...alpha,
        ...(judged('v1')
          ? []
          : [
              'UNKNOWN 1.0 needs its own IAM policy, attached beside the one that is there (it tags with eks:eks-cluster-name): belay migrate karpenter --iam-policy FILE checks a document',
            ]),
        ...(iam?.lines ?? []),
        `${count(claimCount, 'NodeClaim')}, ${driftedCount} drifted: if there are more at the end, you are asked`,
        '1.0 spreads its two replicas over zones by force: a cluster with one zone for it keeps one replica pending',
      ],
    },
  ];
}

function doubtsOf({ unknowns, workloads, questions }: MigrationLook): GateEvidence[] {
  const lines = [
    ...unknowns.map((text) => `UNKNOWN ${text}`),
    ...(workloads.length === 0
      ? []
      : [
          `${workloads.join(', ')} ${agree(workloads.length, 'uses', 'use')} labels or annotations that the newer API passes over (do-not-evict would no longer hold): change them first`,
        ]),
    ...questions,
  ];
  return lines.length === 0 ? [] : [{ title: 'For you to answer', lines: lines.slice(0, 8) }];
}

const DAY_MS = 24 * 3_600_000;

/** Before the controller of 1.0: from there expiry is forceful, and the way back is narrow. */
export async function agreeToV1(walk: MigrationWalk): Promise<void> {
  const { from, to } = walk.params;
  const back = patchBeforeV1(from);
  for (;;) {
    const expiry = await walk.phase.activities.survey.foreseeExpiry.executeWithOptions(
      { summary: 'Which nodes would 1.0 drain by force?' },
      [{ cluster: walk.phase.cluster, withinMs: DAY_MS }],
    );
    const choice = await walk.ask({
      about: 'v1',
      title: `Bring Karpenter ${to}?`,
      next: `karpenter-crd ${to}, then karpenter ${to}. From then on nodes that are past expireAfter are drained by force.`,
      evidence: [expiryEvidence(expiry), iamEvidence(to, expiry.iam)],
      undo: `Back only to ${back} (controller first, then its CRDs, webhooks on), until Karpenter goes to 1.1; what only v1 can say is lost. Nodes that were drained stay drained.`,
      choices: [
        expiry.iam?.granted === 'yes'
          ? { ...CHOICES.approve, does: 'Brings it: the role has the policy of 1.0.' }
          : {
              ...CHOICES.approve,
              needsReason: true,
              does: 'Says that the policy of 1.0 is attached, and brings it. Write who has checked the policy.',
            },
        AGAIN,
        REJECT,
      ],
    });
    if (choice !== 'look-again') return;
  }
}

function expiryEvidence({ pastCount, soonCount, lines }: Expiry): GateEvidence {
  const forced =
    'Neither budgets nor the freeze hold up expiry in 1.0; PodDisruptionBudgets and do-not-disrupt do until terminationGracePeriod';
  if (pastCount + soonCount === 0)
    return { title: 'Expiry becomes forceful', lines: ['No node is past expireAfter or within a day of it', forced] };
  return {
    title: 'Expiry becomes forceful',
    lines: [
      `${count(pastCount, 'node')} would be drained at once, ${soonCount} within a day:`,
      ...lines,
      forced,
      'To spread them: replace these nodes first (kubectl delete nodeclaim, one by one), or set expireAfter higher, then Look again',
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
      `${iam?.granted === 'no' ? 'It has' : 'UNKNOWN to Belay: it has'} to be attached beside that of 0.3x, which stays until the way back is given up`,
      'Without it 1.0 launches nothing: UnauthorizedOperation in the NodeClaims’ condition Launched',
    ],
  };
}
