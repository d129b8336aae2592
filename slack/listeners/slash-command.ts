/** Registers `/eks-upgrade`: acknowledges at once, then works, and always answers the one who typed it. */
import type { App, SlashCommand } from '@slack/bolt';
import { type Listener, marked, says, tell } from '../interaction/reply.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { failureSentence } from '../interaction/failure-text.ts';
import { takenOnce } from '../interaction/take-once.ts';
import { whyRefused } from '../interaction/membership-guard.ts';
import { runCampaignCommand } from '../requests/campaign.ts';
import { runCheck } from '../requests/check.ts';
import { runForecast } from '../requests/forecast.ts';
import { helpText } from '../blocks/help.ts';
import { type Command, parseCommand } from '../requests/commands/parse.ts';
import { clustersHere, type Place, wrongPlace } from '../interaction/channel-guard.ts';
import { setDirect } from '../requests/home/direct.ts';
import { runDigest, runOverview, tellWhatRuns } from '../requests/overview.ts';
import { runPlanning } from '../requests/plan-or-start.ts';
import { runReconcile } from '../requests/reconcile.ts';
import { runRollback, runUndoList } from '../requests/rollback.ts';
import { runStatus } from '../requests/status.ts';
import { runSteering } from '../requests/steer.ts';
import { askFirst, toConfirm } from '../requests/confirm/ask.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { openUpgradeForm } from '../requests/upgrade-form.ts';

/** Starts or posts something. What steers a run is one update by its trigger id, a form is opened once by it, and the others only show. */
const ACTS: readonly Command['kind'][] = ['start', 'rollback', 'reconcile', 'check', 'forecast', 'campaign'];

export function registerCommands(app: App, deps: SlackDeps): void {
  app.command('/eks-upgrade', async ({ ack, command, respond }) => {
    await ack();
    const listener: Listener = { web: deps.web, log: deps.log, channel: command.channel_id, user: command.user_id, respond };
    try {
      await run(deps, parseCommand(command.text), command, listener);
    } catch (error) {
      await tell(listener, says(failureSentence(error, deps.log, '/eks-upgrade')));
    }
  });
}

async function run(deps: SlackDeps, parsed: Command, command: SlashCommand, listener: Listener): Promise<void> {
  if (parsed.kind === 'help') return await tell(listener, helpText());
  if (parsed.kind === 'usage') return await tell(listener, parsed.isHinted === true ? says(parsed.problem) : helpText(parsed.problem));
  const refusal = await whyNot(deps, parsed, command);
  if (refusal !== undefined) return await tell(listener, marked(refusal));
  const actor: Actor = { kind: 'slack', id: command.user_id, name: command.user_name };
  if (ACTS.includes(parsed.kind) && !(await takenOnce(deps, command.trigger_id, actor))) return;
  const confirmed = toConfirm(parsed);
  if (confirmed !== undefined) return await askFirst(deps, confirmed, actor, command.trigger_id, listener);
  switch (parsed.kind) {
    case 'form':
      // What runs already comes before what could be started; its button opens the form.
      if (await tellWhatRuns(deps, await namesHere(deps, command), listener)) return;
      return await openUpgradeForm(deps, { triggerId: command.trigger_id, place: placeOf(command), actor, listener });
    case 'start':
    case 'plan':
      return await runPlanning(deps, parsed, actor, listener);
    case 'rollback':
      return await runRollback(deps, parsed, actor, listener);
    case 'undo-list':
      return await runUndoList(deps, parsed, listener);
    case 'reconcile':
      return await runReconcile(deps, parsed, actor, listener);
    case 'check':
      return await runCheck(deps, parsed, actor, listener);
    case 'forecast':
      return await runForecast(deps, parsed, actor, listener);
    case 'status':
      if (parsed.cluster === undefined) return await runOverview(deps, await namesHere(deps, command), listener);
      return await runStatus(deps, parsed.cluster, listener);
    case 'notify':
      return await tell(listener, says(await setDirect(deps, command.user_id, parsed.on)));
    case 'digest':
      return await runDigest(deps, await namesHere(deps, command), parsed.sinceMs, listener);
    case 'campaign':
      return await runCampaignCommand(deps, parsed, actor, command.trigger_id, listener);
    case 'control': {
      const { verb, cluster } = parsed;
      // The trigger id is the command's own: the same command delivered twice acts once.
      const request = { cluster, actor, requestId: command.trigger_id };
      return await sendAndTell(deps, listener, () => deps.upgrades[verb](request));
    }
    case 'pace': {
      const request = { cluster: parsed.cluster, pace: parsed.pace, actor, requestId: command.trigger_id };
      return await sendAndTell(deps, listener, () => deps.upgrades.pace(request));
    }
    case 'decide':
    case 'failed':
    case 'extend':
    case 'handover':
    case 'handover-form':
    case 'history':
    case 'report':
      return await runSteering(deps, parsed, actor, command.trigger_id, listener);
  }
}

type Acting = Exclude<Command, { kind: 'help' | 'usage' }>;

async function whyNot(deps: SlackDeps, parsed: Acting, command: SlashCommand): Promise<string | undefined> {
  const place = placeOf(command);
  const user = command.user_id;
  const cluster = 'cluster' in parsed ? parsed.cluster : undefined;
  const misplaced = cluster === undefined ? await clustersHere(deps, place, user) : await wrongPlace(deps, cluster, place, user);
  if (typeof misplaced === 'string') return misplaced;
  // The run itself judges who may steer it, and a pause must not wait for anything else.
  return parsed.kind === 'control' || parsed.kind === 'pace' ? undefined : await whyRefused(deps, user);
}

/** Where none are, the command was refused before. */
async function namesHere(deps: SlackDeps, command: SlashCommand): Promise<string[]> {
  const here = await clustersHere(deps, placeOf(command), command.user_id);
  return typeof here === 'string' ? [] : here;
}

function placeOf({ channel_id: channelId, channel_name: channelName }: SlashCommand): Place {
  return { channelId, channelName };
}
