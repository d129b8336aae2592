/** `/eks-upgrade plan` and `start`. */
import { queuedText } from '../../domain/policy/windows.ts';
import { marked, says, tell, type Listener } from '../interaction/reply.ts';
import { planBlocks, refusedBlocks } from '../blocks/plan.ts';
import { link, mrkdwn } from '../blocks/kit/text.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { sentenceOf } from '../interaction/failure-text.ts';
import { threadUrl } from '../interaction/message-links.ts';
import type { Command } from './commands/parse.ts';
import { type StartedUpgrade, UpgradesError } from '../../client/upgrades-client.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { whichVersion } from '../messages/commands.ts';
import { readingCluster, started } from '../messages/answers.ts';

type PlanningCommand = Extract<Command, { kind: 'start' | 'plan' }>;

export async function runPlanning(deps: SlackDeps, command: PlanningCommand, actor: Actor, listener: Listener): Promise<void> {
  const target = command.target ?? deps.clusters.defaultTargetOf(command.cluster);
  if (target === undefined) {
    await tell(listener, says(whichVersion(command.kind, command.cluster)));
    return;
  }
  const channel = command.kind === 'start' ? deps.clusters.channelOf(command.cluster) : undefined;
  if (channel !== undefined) await deps.channels.requireApp(channel);
  await tell(listener, says(readingCluster(command.cluster)));
  const request = { cluster: command.cluster, target, strategy: command.strategy, requestedBy: actor };
  try {
    if (command.kind === 'plan') {
      const result = await deps.upgrades.plan(request);
      await tell(
        listener,
        result.kind === 'plan' ? planBlocks(result.plan, result) : refusedBlocks(command.cluster, target, result.violations),
      );
      return;
    }
    await tell(listener, marked(await startedText(deps, await deps.upgrades.start(request), command.cluster)));
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, error.violations.length > 0 ? refusedBlocks(command.cluster, target, error.violations) : says(sentenceOf(error)));
  }
}

/** The message, with a link to the thread once the worker has opened it. */
export async function startedText(deps: SlackDeps, { workflowId, runId, plan, windows }: StartedUpgrade, cluster: string): Promise<string> {
  const name = `${mrkdwn(plan.cluster.name, 100)} ${mrkdwn(plan.from, 20)} → ${mrkdwn(plan.to, 20)}`;
  const configured = deps.clusters.channelOf(cluster);
  // It was started a moment ago.
  const run = { workflowId, runId, notBefore: new Date().toISOString() };
  const url = configured === undefined ? undefined : await threadUrl(deps, configured, run);
  const queued = windows === undefined || windows.verdict.kind === 'open' ? undefined : mrkdwn(queuedText(windows.verdict), 500);
  return started(name, { queued, link: url === undefined ? undefined : link(url, 'Open its thread') });
}
