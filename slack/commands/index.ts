/** Registers `/eks-upgrade`: acknowledges at once, then works, and always answers the one who typed it. */
import type { App, SlashCommand } from '@slack/bolt';
import type { Actor } from '../../domain/gate.ts';
import { messageOf } from '../../domain/unknown.ts';
import { type Listener, says, tell } from '../answers.ts';
import { sendAndTell } from '../deciding.ts';
import type { SlackDeps } from '../deps.ts';
import { failureSentence } from '../failures.ts';
import { runCheck } from './check.ts';
import { helpText } from './help.ts';
import { type Command, parseCommand } from './parse.ts';
import { runPlanning } from './planning.ts';
import { runStatus } from './status.ts';
import { runSteering } from './steering.ts';

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
  if (parsed.kind === 'usage') return await tell(listener, helpText(parsed.problem));
  const refusal = parsed.cluster === undefined ? undefined : await wrongPlace(deps, parsed.cluster, command);
  if (refusal !== undefined) return await tell(listener, says(refusal));
  const actor: Actor = { kind: 'slack', id: command.user_id, name: command.user_name };
  switch (parsed.kind) {
    case 'start':
    case 'plan':
      return await runPlanning(deps, parsed, actor, listener);
    case 'check':
      return await runCheck(deps, parsed, actor, listener);
    case 'status':
      return await runStatus(deps, parsed.cluster, listener);
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
    case 'failed':
    case 'extend':
    case 'handover':
    case 'history':
    case 'report':
      return await runSteering(deps, parsed, actor, command.trigger_id, listener);
  }
}

/** Why the cluster cannot be spoken about here: unknown, or it has another channel. */
async function wrongPlace(deps: SlackDeps, cluster: string, command: SlashCommand): Promise<string | undefined> {
  let configured: string | undefined;
  try {
    configured = deps.clusters.channelOf(cluster);
  } catch (error) {
    return messageOf(error);
  }
  if (configured === undefined) return undefined;
  if (configured === command.channel_id || configured.replace(/^#/, '') === command.channel_name) return undefined;
  const id = await deps.channels.idOf(configured).catch(() => undefined);
  return id === command.channel_id
    ? undefined
    : `Upgrades of ${cluster} belong in ${where(configured)}. Type the command there; nothing was done.`;
}

function where(channel: string): string {
  if (/^[CG][A-Z0-9]+$/.test(channel)) return `<#${channel}>`;
  return channel.startsWith('#') ? channel : `#${channel}`;
}
