/** The gate before an instance refresh. */
import type { Phase } from '../base/phase.ts';
import type { RefreshableGroup } from '../../../activities/contract/self-managed.ts';
import { gateId } from '../../contract/ids.ts';
import { count, someOf } from '../../../domain/core/text.ts';
import { CHOICES } from '../../gates/choices.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';

/** What a gate id cannot have. */
export const idPart = (group: string): string => group.replaceAll('#', '-');

export interface Wanted {
  group: string;
  to: string;
  back?: true;
  /** Share that stays in service. */
  minHealthyPercent: number;
}

/** Look again reads everything once more. */
export async function agree(phase: Phase, wanted: Wanted): Promise<RefreshableGroup | { kind: 'ask'; why: string }> {
  const { group, to, back } = wanted;
  const { step, round } = phase.input;
  for (let look = 1; ; look += 1) {
    phase.now(`Reading Auto Scaling group ${group}.`);
    const seen = await phase.activities.survey.examineGroup.executeWithOptions({ summary: `Can ${group} be refreshed?` }, [
      { cluster: phase.cluster, group, to, ...(back === undefined ? {} : { back }) },
    ]);
    if (seen.kind === 'ask') return seen;
    const state = await phase.gates.ask({
      id: gateId('change', step.id, (round - 1) * 100 + look, idPart(group)),
      step: step.id,
      title: `Refresh the ${count(seen.size, 'instance')} of ${group}?`,
      next: nextOf(seen, wanted),
      evidence: evidenceOf(seen, wanted),
      undo: seen.followsLatest
        ? 'It can be stopped where it is. The group follows $Latest: the way back is a version with the old image, and another refresh.'
        : 'While it runs it can be stopped or rolled back by a button; afterwards by a refresh to the old version of the launch template, which stays.',
      choices: [
        CHOICES.approve,
        { id: 'by-hand', label: 'We do it ourselves', does: 'Belay writes down the commands, and waits until the kubelets are new.' },
        { ...CHOICES.lookAgain, does: 'Reads the group and its launch template again.' },
      ],
    });
    if (state.kind !== 'decided') throw phaseFailed(`Refreshing ${group}: nobody decided in time; nothing is changed`);
    const { choice } = state.decision;
    if (choice === 'by-hand') return { kind: 'ask', why: 'you chose to do it yourselves' };
    if (choice === 'approve') return seen;
  }
}

export function nextOf({ before, after, source, running, followsLatest }: RefreshableGroup, { group, minHealthyPercent }: Wanted): string {
  const version =
    before === after ? `version ${source} of its launch template` : `a new version of its launch template, made of version ${source}`;
  const what = `Auto Scaling replaces the instances of ${group} by ${version}${followsLatest ? ', which every group that follows its $Latest uses from then on' : ''}`;
  const order =
    minHealthyPercent === 100 ? 'a new one is launched before an old one ends' : `at least ${minHealthyPercent} % stay in service`;
  return `${what}: ${order}, and it rests after the first.${running ? ' A refresh runs already: it is adopted where it goes to the same version.' : ''}`;
}

export function evidenceOf({ before, after, hooks, handler, size }: RefreshableGroup, { minHealthyPercent }: Wanted): GateEvidence[] {
  const drains =
    hooks.length === 0
      ? 'Drained by Belay: no lifecycle hook does it, so Belay adds one (belay-drain), evicts as PodDisruptionBudgets allow, and removes it at the end. Pods without a controller do not come back'
      : `Drained by whoever answers lifecycle hook ${someOf(hooks)}${handler ? '; an AWS Node Termination Handler runs' : '. UNKNOWN who that is: no AWS Node Termination Handler is here, and where nobody drains, pods end with their instance'}`;
  return [
    {
      title: 'The group',
      lines: [
        `Image now: ${before}`,
        `Image then: ${after}`,
        `${count(size, 'instance')}, at least ${minHealthyPercent} % in service`,
        drains,
      ],
    },
  ];
}
