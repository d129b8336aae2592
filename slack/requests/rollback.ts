/** `/eks-upgrade rollback`: the way back, shown or started, and which steps have one of their own. */
import { type Listener, says, tell } from '../interaction/reply.ts';
import { planBlocks, refusedBlocks } from '../blocks/plan.ts';
import { undoListBlocks } from '../blocks/undo.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { sentenceOf } from '../interaction/failure-text.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import type { Command } from './commands/parse.ts';
import { startedText } from './plan-or-start.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { readingCluster } from '../messages/answers.ts';

/** Only to the one who asks: a button plans the way back of its step, as the command does. */
export async function runUndoList(
  deps: SlackDeps,
  { cluster }: Extract<Command, { kind: 'undo-list' }>,
  listener: Listener,
): Promise<void> {
  await tell(listener, says(readingCluster(cluster)));
  try {
    await tell(listener, undoListBlocks(cluster, await deps.upgrades.undoOptions(cluster)));
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, says(sentenceOf(error)));
  }
}

export async function runRollback(
  deps: SlackDeps,
  { cluster, step, dryRun }: Extract<Command, { kind: 'rollback' }>,
  actor: Actor,
  listener: Listener,
): Promise<void> {
  await tell(listener, says(readingCluster(cluster)));
  const request = { cluster, requestedBy: actor, undo: step };
  try {
    if (dryRun) {
      const result = await deps.upgrades.planRollback(request);
      await tell(listener, result.kind === 'plan' ? planBlocks(result.plan) : refusedBlocks(cluster, undefined, result.violations));
      return;
    }
    const started = await deps.upgrades.startBack(request);
    await tell(listener, { text: await startedText(deps, started, cluster), blocks: [] });
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, error.violations.length > 0 ? refusedBlocks(cluster, undefined, error.violations) : says(sentenceOf(error)));
  }
}
