/** The drift freeze: how it holds, who reverted it, how it ends, and the question whether it is to be kept. */
import type { FreezeState } from '../../../activities/contract/karpenter.ts';
import { agree, duration } from '../../../domain/core/text.ts';
import { type FreezeMean, type FreezeMeans, meanOf } from '../../../domain/policy/freeze-means.ts';
import { paceText } from '../../../domain/policy/pace.ts';
import { CHOICES, goAnyway } from '../choices.ts';
import { alarm, type GateText, info, loudWarning, type Note, quietAlarm, warning } from '../note.ts';

const listed = (names: readonly string[]): string => names.join(', ');
const poolsOf = (names: readonly string[]): string => `${agree(names.length, 'NodePool', 'NodePools')} ${listed(names)}`;
/** JSON Patch appends it; "nodes" is a string in karpenter.sh/v1 (NodePools, spec.disruption.budgets). */
export const STOP_BY_HAND = `To stop Karpenter now, give each NodePool a budget of 0 nodes, and remove it later: kubectl patch nodepool NAME --type json -p '[{"op":"add","path":"/spec/disruption/budgets/-","value":{"nodes":"0"}}]'`;
const BEFORE_IMAGE = 'annotation belay.dev/budgets-before has the values from before';

/** `means` undefined: a budget of 0 nodes on every NodePool. */
export function driftFrozen(pools: readonly string[], means: FreezeMeans | undefined): Note {
  if (means === undefined)
    return info(`Drift is frozen on ${poolsOf(pools)}. Belay checks every minute, and will restore the budgets exactly.`);
  const by = (wanted: FreezeMean): string[] => pools.filter((pool) => meanOf(pool, means) === wanted);
  const [budgets, expiring, nodes] = [by('budget'), by('self-expiring'), by('node-annotation')];
  const lasts = duration(means.lastsMs ?? 0);
  return info(
    [
      ...(nodes.length === 0
        ? []
        : [`Drift is frozen on every node of ${poolsOf(nodes)} by annotation, which GitOps does not revert; new nodes get it too.`]),
      ...(expiring.length === 0
        ? []
        : [`Drift is frozen on ${poolsOf(expiring)} by a budget that expires after ${lasts} unless Belay renews it.`]),
      ...(budgets.length === 0 ? [] : [`Drift is frozen on ${poolsOf(budgets)} by a budget.`]),
      'Belay checks the freeze, and will restore everything exactly.',
    ].join(' '),
  );
}

/** Somebody else has changed the budgets, or nobody renewed them in time. */
export function freezeReverted({ reverted, lapsed = [] }: Pick<FreezeState, 'reverted' | 'lapsed'>): Note {
  const undone = `the drift freeze was reverted on ${listed(reverted)} (by GitOps?). Belay restores it each time; stop whatever reverts it, or Karpenter may replace nodes in between.`;
  const expired = `the drift freeze on ${listed(lapsed)} expired because nobody renewed it in time: Karpenter may have replaced nodes. Belay freezes again.`;
  return alarm(`ALARM: ${[...(reverted.length === 0 ? [] : [undone]), ...(lapsed.length === 0 ? [] : [expired])].join(' And ')}`);
}

export const freezeRestoredInTime = (pools: readonly string[]): Note =>
  alarm(
    `ALARM: the drift freeze was reverted on ${listed(pools)} (by GitOps?). Belay restored it before continuing; stop whatever reverts it.`,
  );

export const freezeUnguarded = (why: string): Note =>
  alarm(
    `ALARM: nothing guards the freeze: ${why}. Belay keeps trying, at growing intervals of up to two hours, and reports when it succeeds. Until then a freeze that others revert stays reverted: watch the NodePools.`,
  );

/** `nodes`: of Belay's own budget entry (domain/policy/pace.ts, budgetOf). */
export const freezeGuardedAgain = (nodes: string): Note =>
  warning(`The freeze is guarded again: Karpenter replaces ${paceText(nodes === '0' ? 'freeze' : nodes === '100%' ? 'original' : nodes)}.`);

export const freezeGuardGone = (): Note =>
  alarm(
    'ALARM: the workflow that guards the freeze is gone. Drift is stopped, but nothing guards the freeze now: if others revert it, nodes are replaced. Watch the NodePools until the run ends.',
  );

/** Freezing failed halfway; what is frozen already is kept because `why`. */
export const freezeIncomplete = (why: string): Note =>
  loudWarning(`NodePools that are already frozen stay frozen, because ${why}. Retry freezes the others.`);

export const driftNotStopped = (problem: string): Note =>
  alarm(
    `ALARM: drift could NOT be stopped: ${problem}. Karpenter may keep replacing nodes at its last pace. Belay keeps trying. ${STOP_BY_HAND}`,
  );

export const driftStopped = (): Note => loudWarning('Drift is stopped now: the budget of every NodePool is 0 nodes again.');

/** The cluster that was frozen is not the one that has its name now. */
export const freezeEnded = (why: string): Note => alarm(`The freeze ends: ${why}.`);

/** `pools` empty: every node was released in its turn. */
export const freezeLifted = (reason: string, pools: readonly string[]): Note =>
  info(
    `The freeze is lifted (${reason}); ${pools.length === 0 ? 'nothing was left to restore' : `budgets are as before on ${listed(pools)}`}.`,
  );

export const budgetsNotRestored = (problem: string): Note =>
  alarm(`ALARM: budgets could NOT be restored: ${problem}. The ${BEFORE_IMAGE}.`);

export const budgetsChangedByOthers = (pools: readonly string[]): Note =>
  quietAlarm(
    `Somebody else changed the budgets of ${listed(pools)} meanwhile: Belay removed only its own entry. Check that they are what you want: they apply now.`,
  );

export const freezeKept = (why: string): Note =>
  loudWarning(`The drift freeze is KEPT: ${why}. Lifting it now would replace every one of these nodes.`);

/** `back`: the control plane went back, so that nodes of two minors may run and no pin would keep all of them. `version`: what a roll would bring. */
export function keepFreezeGate({
  cluster,
  why,
  version,
  back,
}: {
  cluster: string;
  why: string;
  version: string;
  back: boolean;
}): GateText {
  return {
    title: `Karpenter drift is frozen on ${cluster}: keep it frozen?`,
    next: 'Keep frozen changes nothing, and Belay asks again in a day.',
    evidence: [{ title: 'Why the freeze is kept', lines: [why] }],
    undo: 'Keeping changes nothing. Lifting starts replacing nodes at once, which cannot be undone node by node.',
    choices: [
      { id: 'keep-frozen', label: 'Keep frozen', style: 'primary', does: 'Keeps the freeze; Belay asks again every day.' },
      ...(back
        ? []
        : [
            {
              id: 'hold-amis' as const,
              label: 'Hold the AMIs',
              needsReason: true,
              does: 'Pins every EC2NodeClass to the images in use, then restores the budgets: no node drifts, and new nodes get the same images, until the pins are removed. Consolidation resumes.',
            },
          ]),
      {
        id: 'lift-and-roll',
        label: 'Lift and roll',
        style: 'danger',
        needsReason: true,
        does: `Restores the budgets: Karpenter starts to replace every lagging node with one of ${version}, limited only by the budgets of each NodePool.`,
      },
    ],
  };
}

/** The guard ended while the run lives. */
export const freezeGuardReplaced = (why: string): Note =>
  alarm(`ALARM: the workflow that guards the freeze ended in the middle of the run (${why}). Another one takes over its NodePools.`);

export const freezeGuardTookOver = (): Note =>
  loudWarning('The freeze is guarded again: the new guard has adopted its NodePools, and drift is frozen.');

export const freezeGuardNotReplaced = (why: string): Note =>
  alarm(`ALARM: nothing guards the freeze, and no other guard could be started (${why}). The run stops before its next step.`);

export function unguardedFreezeGate(step: string, why: string): GateText {
  return {
    title: `The drift freeze is unguarded: continue with ${step}?`,
    next: 'Retry starts another guard, which adopts the NodePools by their annotations.',
    evidence: [
      {
        title: 'What happened',
        lines: [
          `The guard of the freeze has ended, and no other could be started: ${why}`,
          'NodePools keep their present budgets; what others revert is not restored',
        ],
      },
    ],
    undo: 'Nothing has been changed for this step yet.',
    choices: [
      { ...CHOICES.retry, does: 'Starts another guard.' },
      goAnyway('nothing restores the freeze when it is reverted'),
      CHOICES.abort,
    ],
  };
}

export const unguardedStopped = (step: string): string => `${step} did not start: nothing guards the freeze of Karpenter drift`;

/** What the report says of the freeze, where it could not be lifted or not be seen. */
export const freezeNotSettled = (): string => 'its guard has not lifted it yet, and keeps trying; check its workflow in Temporal UI';

export const freezeGuardFailed = (problem: string): string => `its guard failed: ${problem}`;

export const freezeNotRestored = (): string => 'budgets could not be restored';

export const freezeStillThere = (pools: readonly string[]): string =>
  `its guard has lifted it, but ${poolsOf(pools)} still ${agree(pools.length, 'has', 'have')} Belay's budget entry or annotations`;

export const freezeUnseen = (problem: string): string => `could not check whether NodePools are as before: ${problem}`;

/** Of the step, on the board. */
export const freezeHolds = (pools: string | undefined): string => `Drift is frozen on ${pools ?? 'all NodePools'}`;
