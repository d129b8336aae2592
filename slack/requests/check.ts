/** `/eks-upgrade check`, and "Check again": the result is told in the channel, to everybody. */
import { type Listener, says, tell } from '../interaction/reply.ts';
import { link, mrkdwn } from '../blocks/kit/text.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { threadUrl } from '../interaction/message-links.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import type { Actor } from '../../domain/gates/actor.ts';

export interface CheckAsked {
  cluster: string;
  target?: string;
  /** Run id of the check to compare with. */
  since?: string;
}

export async function runCheck(deps: SlackDeps, asked: CheckAsked, requestedBy: Actor, listener: Listener): Promise<void> {
  const { cluster, since } = asked;
  const target = asked.target ?? deps.clusters.defaultTargetOf(cluster);
  if (target === undefined) return await tell(listener, says(`Say for which version: /eks-upgrade check ${cluster} 1.33`));
  await tell(listener, says(`Checking ${cluster} for ${target}. The result appears in this channel.`));
  try {
    const { channel } = listener;
    const check = await deps.upgrades.check({ cluster, target, requestedBy, channel, since });
    if (check.kind === 'started') return;
    const url = await threadUrl(deps, channel, check);
    const running = `A check of ${mrkdwn(cluster, 100)} for ${mrkdwn(check.target, 20)} runs already, asked for by ${mrkdwn(check.requestedBy, 80)}`;
    await tell(listener, {
      text: url === undefined ? `${running}. No other was started.` : `${running}. ${link(url, 'See it')}`,
      blocks: [],
    });
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, says(error.message));
  }
}
