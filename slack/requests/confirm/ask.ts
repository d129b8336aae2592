/** Asks once before a typed command aborts, skips or starts something: what is shown is what the button does, and of that run alone. */
import { failedGateIn } from '../../../client/reading/open-gate.ts';
import {
  abortIsFinal,
  abortMeans,
  abortTitle,
  planBackMeans,
  planUndoMeans,
  rollbackTitle,
  runNow,
  runsNow,
  skipReason,
  skipTitle,
  skipUnseen,
  startMeans,
  startStrategy,
  startTitle,
  undoTitle,
} from '../../../client/calls/questions.ts';
import { notRunning } from '../../../client/calls/messages.ts';
import { endedRun } from '../../../client/starting/running-upgrade.ts';
import { type StatusAnswer, UpgradesError } from '../../../client/upgrades-client.ts';
import { defined } from '../../../domain/core/defined.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import { boardTitle } from '../../blocks/board.ts';
import { undoText } from '../../blocks/gate-body.ts';
import type { Rendered } from '../../blocks/kit/elements.ts';
import { mrkdwn } from '../../blocks/kit/text.ts';
import { when } from '../../blocks/kit/time.ts';
import { type Question, questionBlocks } from '../../blocks/question.ts';
import type { Command } from '../commands/parse.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { type Listener, says } from '../../interaction/reply.ts';
import { keepTrying } from '../../interaction/send-and-reply.ts';
import { abortLabel, canBeAborted, rollbackLabel, skipLabel, startLabel, tooMuchToAsk, undoLabel } from '../../messages/questions.ts';
import { rollbackWindow } from '../../messages/run.ts';
import { whichVersion } from '../../messages/commands.ts';
import { visibilityLine } from '../status.ts';
import { type Asked, campaignQuestion, campaignToConfirm, type ConfirmedCampaign } from './ask-campaign.ts';

/** Commands that are done once they are confirmed. */
export type Confirmed =
  | (Extract<Command, { kind: 'start' | 'plan' }> & { kind: 'start' })
  | Extract<Command, { kind: 'rollback' | 'control' | 'failed' }>
  | ConfirmedCampaign;

/** What is asked first; undefined: the command is done as it is typed. */
export function toConfirm(parsed: Command): Confirmed | undefined {
  switch (parsed.kind) {
    case 'start':
      return { ...parsed, kind: parsed.kind };
    case 'rollback':
      return parsed.dryRun ? undefined : parsed;
    case 'control':
      return parsed.verb === 'abort' ? parsed : undefined;
    case 'failed':
      return parsed.choice === 'skip' ? parsed : undefined;
    case 'campaign':
      return campaignToConfirm(parsed);
    default:
      return undefined;
  }
}

/** `id`: the command's trigger id. Repeated while Temporal is away, as what it asks about was: it only reads. */
export async function askFirst(deps: SlackDeps, parsed: Confirmed, actor: Actor, id: string, listener: Listener): Promise<void> {
  await keepTrying(deps, listener, async () => {
    const asked = await questionOf(deps, parsed);
    if ('text' in asked) return asked;
    return questionBlocks(asked.question, { id, by: actor.id, deed: asked.deed }) ?? says(tooMuchToAsk());
  });
}

async function questionOf(deps: SlackDeps, parsed: Confirmed): Promise<Asked | Rendered> {
  if (parsed.kind === 'campaign') return await campaignQuestion(deps, parsed);
  const { cluster } = parsed;
  switch (parsed.kind) {
    case 'start': {
      const target = parsed.target ?? deps.clusters.defaultTargetOf(cluster);
      if (target === undefined) return says(whichVersion('start', cluster));
      const { strategy } = parsed;
      const question: Question = {
        title: startTitle(cluster, target),
        lines: [startMeans(), ...(strategy === undefined ? [] : [startStrategy(strategy)])],
        small: [canBeAborted(mrkdwn(cluster, 100))],
        label: startLabel(),
        style: 'primary',
      };
      return {
        question,
        deed: { kind: 'start', cluster, target, ...defined({ strategy }), since: await endedRun(deps.upgrades, cluster) },
      };
    }
    case 'rollback': {
      const { step } = parsed;
      const question: Question = {
        title: step === undefined ? rollbackTitle(cluster) : undoTitle(cluster, step),
        lines: [step === undefined ? planBackMeans() : planUndoMeans(step)],
        small: [canBeAborted(mrkdwn(cluster, 100))],
        label: step === undefined ? rollbackLabel() : undoLabel(step),
        style: 'primary',
      };
      return { question, deed: { kind: 'rollback', cluster, ...defined({ step }), since: await endedRun(deps.upgrades, cluster) } };
    }
    case 'control':
      if ((await deps.upgrades.newestRun(cluster))?.isOpen !== true)
        throw new UpgradesError('not-running', notRunning(cluster, 'nothing to abort'));
      return abortOf(cluster, await deps.upgrades.status(cluster));
    case 'failed':
      return skipOf(cluster, parsed.reason ?? '', await deps.upgrades.status(cluster));
  }
}

function abortOf(cluster: string, answer: StatusAnswer): Asked {
  const { runId: run } = answer.status;
  const question: Question = {
    title: abortTitle(cluster),
    lines: [...whereItIs(answer), abortMeans()],
    small: [abortIsFinal(), answer.source === 'visibility' ? mrkdwn(answer.why, 500) : ''],
    label: abortLabel(),
    style: 'danger',
  };
  return { question, deed: { kind: 'abort', cluster, run } };
}

/** What is running, and what of it EKS would take back. */
function whereItIs(answer: StatusAnswer): string[] {
  if (answer.source === 'visibility') return [visibilityLine(answer.status)];
  const { status } = answer;
  const running = status.steps.filter(({ state }) => state === 'running');
  return [
    runNow(mrkdwn(boardTitle(status), 200), mrkdwn(status.headline, 400)),
    ...running.map(({ title }) => runsNow(mrkdwn(title, 100))),
    ...(status.takeBack === undefined ? [] : [rollbackWindow(mrkdwn(status.takeBack.to, 20), when(status.takeBack.until))]),
  ];
}

/** Throws UpgradesError where nothing has failed, or it cannot be skipped. */
function skipOf(cluster: string, reason: string, answer: StatusAnswer): Asked {
  const found = failedGateIn(answer, 'skip');
  const gate = answer.source === 'workflow' ? answer.status.gates.find(({ id }) => id === found.gateId) : undefined;
  const offer = gate?.offers?.[gate.choices.indexOf('skip')];
  const question: Question = {
    title: skipTitle(cluster, gate?.title ?? found.gateId),
    lines: [
      ...(offer === undefined ? [] : [mrkdwn(offer.does, 400)]),
      ...(answer.source === 'visibility' ? [skipUnseen(mrkdwn(found.gateId, 100), mrkdwn(answer.why, 500))] : []),
      skipReason(mrkdwn(reason, 600)),
      ...(gate?.undo === undefined ? [] : [undoText(gate.undo)]),
    ],
    small: [mrkdwn(gate?.progress ?? '', 300)],
    label: skipLabel(),
    style: 'danger',
  };
  const { gateId, workflowId, revision, planHash, run = answer.status.runId } = found;
  return { question, deed: { kind: 'skip', cluster, gateId, revision, run, reason, ...defined({ workflowId, planHash }) } };
}
