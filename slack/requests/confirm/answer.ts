/** Does what a question asked about, once: by the same person, in the same place, and for the run that was shown. */
import { defined } from '../../../domain/core/defined.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import { rollbackName } from '../../../domain/plan/campaign/plan-rollback.ts';
import type { QuestionValue } from '../../blocks/kit/button-values.ts';
import { clustersHere, type Place, wrongPlace } from '../../interaction/channel-guard.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { whyRefused } from '../../interaction/membership-guard.ts';
import { type Listener, marked, says, tell } from '../../interaction/reply.ts';
import { sendAndTell } from '../../interaction/send-and-reply.ts';
import { answeredBefore, askedAnother, newerCampaign, newerRun } from '../../messages/questions.ts';
import { runCampaignCommand } from '../campaign.ts';
import { runPlanning } from '../plan-or-start.ts';
import { runRollback } from '../rollback.ts';

/** Everything that was looked at when the command was typed is looked at again: the value comes from outside. Throws UpgradesError. */
export async function doDeed(deps: SlackDeps, value: QuestionValue, actor: Actor, place: Place, listener: Listener): Promise<void> {
  const { id, by, deed } = value;
  // Beside the question: it is not theirs, or tells already what came of it.
  const beside: Listener = { ...listener, show: undefined };
  if (by !== actor.id) return await tell(beside, says(askedAnother()));
  const misplaced = 'cluster' in deed ? await wrongPlace(deps, deed.cluster, place, actor.id) : await clustersHere(deps, place, actor.id);
  if (typeof misplaced === 'string') return await tell(listener, marked(misplaced));
  // The run itself judges who may abort it, and that must not wait for anything else.
  const refusal = deed.kind === 'abort' ? undefined : await whyRefused(deps, actor.id);
  if (refusal !== undefined) return await tell(listener, says(refusal));
  switch (deed.kind) {
    case 'abort': {
      const { cluster, run } = deed;
      // One update by the command's id, however often it is pressed.
      return await sendAndTell(deps, listener, () => deps.upgrades.abort({ cluster, run, actor, requestId: id }));
    }
    case 'skip': {
      const { kind, ...decision } = deed;
      return await sendAndTell(deps, listener, () => deps.upgrades.decide({ ...decision, choice: kind, actor }));
    }
    case 'start':
    case 'rollback': {
      const { cluster, since } = deed;
      // The command has taken its id itself.
      if (!(await deps.upgrades.claim(`question:${id}`))) return await tell(beside, says(answeredBefore()));
      if (((await deps.upgrades.newestRun(cluster))?.runId ?? '') !== since) return await tell(listener, says(newerRun(cluster)));
      if (deed.kind === 'rollback') return await runRollback(deps, { ...deed, dryRun: false }, actor, listener);
      return await runPlanning(deps, deed, actor, listener);
    }
    case 'campaign stop': {
      const { campaign, run } = deed;
      return await sendAndTell(deps, listener, () => deps.campaigns.control({ campaign, verb: 'stop', actor, requestId: id, run }));
    }
    case 'campaign start':
    case 'campaign rollback': {
      const { campaign, since } = deed;
      const [verb, ring] = deed.kind === 'campaign start' ? (['start'] as const) : (['rollback', deed.ring] as const);
      if (!(await deps.upgrades.claim(`question:${id}`))) return await tell(beside, says(answeredBefore()));
      const runs = ring === undefined ? campaign : rollbackName(campaign, ring);
      if (((await deps.campaigns.newestRun(runs))?.runId ?? '') !== since) return await tell(listener, says(newerCampaign(runs)));
      return await runCampaignCommand(deps, { kind: 'campaign', verb, campaign, ...defined({ ring }) }, actor, id, listener);
    }
  }
}
