/** `/eks-upgrade check`, and "Check again": the result is told in the channel, to everybody. */
import { type Listener, marked, says, tell } from '../interaction/reply.ts';
import { link, mrkdwn } from '../blocks/kit/text.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { sentenceOf } from '../interaction/failure-text.ts';
import { threadUrl } from '../interaction/message-links.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { whichVersion } from '../messages/commands.ts';
import { checking, checkRunsAlready } from '../messages/answers.ts';

export interface CheckAsked {
  cluster: string;
  target?: string;
  /** Run id of the check to compare with. */
  since?: string;
}

export async function runCheck(deps: SlackDeps, asked: CheckAsked, requestedBy: Actor, listener: Listener): Promise<void> {
  const { cluster, since } = asked;
  const target = asked.target ?? deps.clusters.defaultTargetOf(cluster);
  if (target === undefined) return await tell(listener, says(whichVersion('check', cluster)));
  await deps.channels.requireApp(listener.channel);
  await tell(listener, says(checking(cluster, target)));
  try {
    const { channel } = listener;
    const check = await deps.upgrades.check({ cluster, target, requestedBy, channel, since });
    if (check.kind === 'started') return;
    const url = await threadUrl(deps, channel, { ...check, ...defined({ notBefore: check.startedAt }) });
    const running = {
      cluster: mrkdwn(cluster, 100),
      target: mrkdwn(check.target, 20),
      requestedBy: mrkdwn(check.requestedBy, 80),
      link: url === undefined ? undefined : link(url, 'See it'),
    };
    await tell(listener, marked(checkRunsAlready(running)));
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, says(sentenceOf(error)));
  }
}
