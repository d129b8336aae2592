/** `/eks-upgrade reconcile`: what runs have left behind, shown, and put back by the button below it. */
import { type Listener, says, tell } from '../interaction/reply.ts';
import { isOffered, leftBehindBlocks, offeredBlocks } from '../blocks/reconcile.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { sentenceOf } from '../interaction/failure-text.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import type { Command } from './commands/parse.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { lookingForLeftovers } from '../messages/answers.ts';

type ReconcileCommand = Extract<Command, { kind: 'reconcile' }>;

/** What can be put back is shown to the whole channel: others may have to press, and everybody should know. Throws the Web API's errors. */
export async function runReconcile(deps: SlackDeps, command: ReconcileCommand, requestedBy: Actor, listener: Listener): Promise<void> {
  const { cluster, dryRun, roll } = command;
  await tell(listener, says(lookingForLeftovers(cluster)));
  try {
    const report = await deps.upgrades.reconcile({ cluster, requestedBy, apply: false, roll });
    if (dryRun || !isOffered(report)) return await tell(listener, leftBehindBlocks(cluster, report));
    const content = offeredBlocks({ cluster, roll }, report, requestedBy);
    await deps.web.chat.postMessage({ channel: listener.channel, unfurl_links: false, unfurl_media: false, ...content });
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, says(sentenceOf(error)));
  }
}
