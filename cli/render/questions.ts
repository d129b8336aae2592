/** What a command asks on a terminal before it acts: what will happen, and what can be undone. */
import {
  abortIsFinal,
  abortMeans,
  abortTitle,
  campaignStartMeans,
  campaignStartTitle,
  campaignStopMeans,
  campaignStopTitle,
  campaignUnseen,
  planBackMeans,
  planUndoMeans,
  ringRollbackMeans,
  ringRollbackTitle,
  rollbackTitle,
  runNow,
  runsNow,
  skipReason,
  skipUnseen,
  startMeans,
  startStrategy,
  startTitle,
  undoTitle,
} from '../../client/calls/questions.ts';
import type { FoundGate } from '../../client/reading/open-gate.ts';
import type { StatusAnswer } from '../../client/upgrades-client.ts';
import { rollbackName } from '../../domain/plan/campaign/plan-rollback.ts';
import { runWay } from '../../domain/plan/model/rollback-text.ts';
import type { CampaignPolicy } from '../../domain/policy/campaigns.ts';
import type { CampaignView } from '../../domain/run/campaign/view.ts';
import { utcMinute } from '../../domain/core/text.ts';
import { campaignStopIsFinal, canBeAborted, canBeStopped, canBeUndone, ringRollbackUndo, skipIt } from '../messages/questions.ts';
import { rollbackWindow } from '../messages/views.ts';
import type { Question } from '../shared/confirm.ts';

export function startQuestion(cluster: string, target: string, strategy: string | undefined): Question {
  const nodes = strategy === undefined ? [] : [startStrategy(strategy)];
  return { lines: [startMeans(), ...nodes, canBeAborted(cluster)], asks: startTitle(cluster, target) };
}

/** `step`: of the last run; undefined: the control plane. */
export function rollbackQuestion(cluster: string, step: string | undefined): Question {
  const [means, asks] = step === undefined ? [planBackMeans(), rollbackTitle(cluster)] : [planUndoMeans(step), undoTitle(cluster, step)];
  return { lines: [means, canBeAborted(cluster)], asks };
}

export function abortQuestion(cluster: string, answer: StatusAnswer): Question {
  return { lines: [...whereItIs(answer), abortMeans(), abortIsFinal()], asks: abortTitle(cluster) };
}

/** What is running, and what of it EKS would roll back. */
function whereItIs(answer: StatusAnswer): string[] {
  if (answer.source === 'visibility') {
    const { cluster, target = '?', waitingFor, phase } = answer.status;
    return [runNow(`${cluster} → ${target}`, waitingFor ?? phase ?? ''), answer.why];
  }
  const { cluster, headline, steps, takeBack, ...run } = answer.status;
  return [
    runNow(`${cluster.name} ${runWay(run)}`, headline),
    ...steps.flatMap(({ state, title }) => (state === 'running' ? [runsNow(title)] : [])),
    ...(takeBack === undefined ? [] : [rollbackWindow(cluster.name, takeBack.to, utcMinute(takeBack.until))]),
  ];
}

export function skipQuestion(cluster: string, answer: StatusAnswer, { gateId }: FoundGate, reason: string | undefined): Question {
  const gate = answer.source === 'workflow' ? answer.status.gates.find(({ id }) => id === gateId) : undefined;
  const does = gate?.offers?.[gate.choices.indexOf('skip')]?.does;
  return {
    lines: [
      ...(gate === undefined ? [] : [gate.title]),
      ...(answer.source === 'visibility' ? [skipUnseen(gateId, answer.why)] : []),
      ...(does === undefined ? [] : [does]),
      ...(reason === undefined ? [] : [skipReason(reason)]),
      ...(gate?.undo === undefined || gate.undo === '' ? [] : [canBeUndone(gate.undo)]),
    ],
    asks: skipIt(cluster),
  };
}

export function campaignStartQuestion({ name, target, rings }: CampaignPolicy): Question {
  return { lines: [campaignStartMeans(rings[0]?.name ?? ''), canBeStopped(name)], asks: campaignStartTitle(name, target) };
}

/** `view`: a sentence where it cannot be read now. */
export function campaignStopQuestion(campaign: string, view: CampaignView | string): Question {
  const now =
    typeof view === 'string' ? [campaignUnseen(view)] : [view.headline, ...view.rings.map(({ name, line }) => `  ${name}: ${line}`)];
  return { lines: [...now, campaignStopMeans(), campaignStopIsFinal(campaign)], asks: campaignStopTitle(campaign) };
}

export function ringRollbackQuestion(campaign: string, ring: string): Question {
  const undo = ringRollbackUndo(campaign, rollbackName(campaign, ring));
  return { lines: [ringRollbackMeans(), undo], asks: ringRollbackTitle(campaign, ring) };
}
