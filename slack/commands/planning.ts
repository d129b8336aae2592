/** `/eks-upgrade plan` and `start`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../../domain/gate.ts';
import { messageOf } from '../../domain/unknown.ts';
import { says, tell, type Listener } from '../answers.ts';
import { planBlocks, refusedBlocks } from '../blocks/plan.ts';
import { link, mrkdwn } from '../blocks/text.ts';
import type { SlackDeps } from '../deps.ts';
import type { Command } from './parse.ts';
import { findBoard } from '../threads.ts';
import { type StartedUpgrade, UpgradesError } from '../upgrades.ts';

/** The board is posted by the worker; it is looked for this long. */
const BOARD_LOOKS = 8;
const BOARD_LOOK_MS = 700;

type PlanningCommand = Extract<Command, { kind: 'start' | 'plan' }>;

export async function runPlanning(deps: SlackDeps, command: PlanningCommand, actor: Actor, listener: Listener): Promise<void> {
  const target = command.target ?? deps.clusters.defaultTargetOf(command.cluster);
  if (target === undefined) {
    await tell(listener, says(`Say to which version: /eks-upgrade ${command.kind} ${command.cluster} 1.33`));
    return;
  }
  await tell(listener, says(`Reading the cluster ${command.cluster}…`));
  const request = { cluster: command.cluster, target, strategy: command.strategy, requestedBy: actor };
  try {
    if (command.kind === 'plan') {
      const result = await deps.upgrades.plan(request);
      await tell(listener, result.kind === 'plan' ? planBlocks(result.plan) : refusedBlocks(command.cluster, target, result.violations));
      return;
    }
    const started = await deps.upgrades.start(request);
    await tell(listener, { text: await startedText(deps, started, command.cluster), blocks: [] });
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, error.violations.length > 0 ? refusedBlocks(command.cluster, target, error.violations) : says(error.message));
  }
}

/** The message, with a link to the thread once the worker has opened it. */
async function startedText(deps: SlackDeps, { workflowId, runId, plan }: StartedUpgrade, cluster: string): Promise<string> {
  const name = `${mrkdwn(plan.cluster.name, 100)} ${mrkdwn(plan.from, 20)} → ${mrkdwn(plan.to, 20)}`;
  const configured = deps.clusters.channelOf(cluster);
  const url = configured === undefined ? undefined : await threadUrl(deps, configured, { workflowId, runId });
  return url === undefined
    ? `Started: ${name}. Its thread appears in the channel in a moment.`
    : `Started: ${name}. ${link(url, 'Open its thread')}`;
}

async function threadUrl(deps: SlackDeps, configured: string, upgrade: { workflowId: string; runId: string }): Promise<string | undefined> {
  try {
    const channel = await deps.channels.idOf(configured);
    for (let look = 0; look < BOARD_LOOKS && !deps.stopping.aborted; look += 1) {
      const board = await findBoard(deps.web, channel, upgrade);
      if (board !== undefined) return (await deps.web.chat.getPermalink({ channel, message_ts: board.ts })).permalink;
      await sleep(BOARD_LOOK_MS, undefined, { signal: deps.stopping });
    }
  } catch (error) {
    deps.log.warn(`looking for the thread: ${messageOf(error)}`);
  }
  return undefined;
}
