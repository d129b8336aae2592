/** Is Slack set up, by half, or not at all, and does anybody hear of gates then? */
import { someOf } from '../../domain/core/text.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { undecidable } from '../../domain/policy/config/sections/approvals.ts';

const TOKENS = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET'] as const;

/** belay.yaml names the channels, the environment has the tokens: both, or neither to work without Slack. `why` names the part that is there, `fix` the one that is missing. undefined: nothing is by half. */
export function slackByHalf(
  { fileName, usesSlack }: Pick<Config, 'fileName' | 'usesSlack'>,
  env: NodeJS.ProcessEnv,
): { why: string; fix: string } | undefined {
  const token = TOKENS.find((name) => env[name]);
  if (usesSlack && !env['SLACK_BOT_TOKEN'])
    return {
      why: `${fileName} names a Slack channel, and SLACK_BOT_TOKEN is not set here`,
      fix: 'set SLACK_BOT_TOKEN, or remove slack and every channel from the file to work without Slack',
    };
  if (!usesSlack && token !== undefined)
    return {
      why: `${token} is set here, and ${fileName} names no Slack channel`,
      fix: `write slack.channel, or unset ${token} to work without Slack`,
    };
  return undefined;
}

const MOST_NAMED = 5;

/** Without Slack and without a receiver of gate.opened nobody is told that somebody has to decide. undefined: somebody is, of every cluster. */
export function unheardGates({ usesSlack, clusters }: Pick<Config, 'usesSlack' | 'clusters'>): { why: string; fix: string } | undefined {
  if (usesSlack) return undefined;
  const silent = [...clusters].flatMap(([name, { policy }]) => {
    const isHeard = policy.deliveries?.some(({ events }) => events.includes('gate.opened')) === true;
    // Where nobody may decide no run starts, as in a file for checks alone.
    return isHeard || undecidable(policy.approvals) !== undefined ? [] : [name];
  });
  if (silent.length === 0) return undefined;
  return {
    why: `nobody is told about the gates of ${someOf(silent, MOST_NAMED)}: there is no Slack, and nothing receives gate.opened`,
    fix: 'add notifications.webhooks or notifications.email, or look with "belay status --watch"',
  };
}
